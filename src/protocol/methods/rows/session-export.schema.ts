/** The row of session.export. */
import * as z from "zod";
import { expected } from "../expected.ts";
import { EXPORT_FORMATS } from "../../types/export-format.ts";
import { capped, cursor, sessionId } from "./fields.schema.ts";
import { row } from "./row.schema.ts";

/** Longer content is exported to a file. */
const MAX_CONTENT_BYTES = 1024 * 1024;
const pathRefusal = expected("an absolute path");

export const sessionExport = row({
  name: "session.export",
  summary: "export a session as a recording, text or HTML, in the answer or to a file",
  effect: "write",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    format: z.enum(EXPORT_FORMATS, expected(`one of ${EXPORT_FORMATS.join(", ")}`)).default("asciicast"),
    cursor: cursor.default("0").describe("First byte of the export"),
    until: cursor.optional().describe("First byte after the export; default: the current end"),
    path: z
      .string(pathRefusal)
      .regex(/^\//, pathRefusal)
      .optional()
      .describe(
        "A new file below one of the roots (`fs.roots`), visible once it is complete. Without a path the answer contains the content",
      ),
    part: z
      .boolean()
      .default(false)
      .describe(
        "Return as much as fits, up to next_cursor, which is the cursor of the next part. The parts from cursor 0 add up to the whole, except for a text line that rewrites itself and is longer than a part. For asciicast and text",
      ),
    max_bytes: capped(1, MAX_CONTENT_BYTES, MAX_CONTENT_BYTES).describe(
      "Most bytes of content, at most 1 MiB; more is ERLIMIT",
    ),
  }),
  result: z.object({
    format: z.enum(EXPORT_FORMATS),
    content: z.string().nullable().describe("Null if it was written to a file"),
    path: z.string().nullable(),
    bytes: z.int().describe("Length of the content in UTF-8"),
    cursor: cursor,
    until: cursor,
    next_cursor: cursor.nullable().describe("Start of the next part; null: that was all"),
    missing_bytes: z.int().describe("Output bytes that were not captured"),
  }),
  errors: ["ENOTFOUND", "EEXISTS", "EDENIED", "ERLIMIT", "EIO"],
  examples: [
    { session_id: "d4k8w1", format: "text" },
    { session_id: "d4k8w1", format: "text", until: "100" },
    { session_id: "d4k8w1", format: "text", part: true },
  ],
  cli: "holt export",
  deadlineMs: 120_000,
});
