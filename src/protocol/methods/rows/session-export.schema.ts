import * as z from "zod";
import { expected } from "../expected.ts";
import { EXPORT_FORMATS } from "../../types/export-format.ts";
import { capped, cursor, sessionId } from "./fields.schema.ts";
import { row } from "./row.schema.ts";

/** More belongs into a file. */
const MAX_CONTENT_BYTES = 1024 * 1024;
const pathRefusal = expected("an absolute path");

export const sessionExport = row({
  name: "session.export",
  summary: "export a session as a recording, text or HTML: in the answer if it is small, else in a file",
  effect: "write",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    format: z.enum(EXPORT_FORMATS, expected(`one of ${EXPORT_FORMATS.join(", ")}`)).default("asciicast"),
    cursor: cursor.default("0").describe("The first byte of it"),
    until: cursor.optional().describe("The first byte that is left out; all there is now without it"),
    path: z
      .string(pathRefusal)
      .regex(/^\//, pathRefusal)
      .optional()
      .describe(
        "A file that is not there yet, below one of the roots (`fs.roots`): it appears when it is complete. Without it the answer has the content",
      ),
    part: z
      .boolean()
      .default(false)
      .describe(
        "As much of it as fits, up to next_cursor: go on with that as the cursor. Such parts, from cursor 0 on, are together the whole, but for a line of text that takes back what it printed and is longer than a part; of asciicast and text",
      ),
    max_bytes: capped(1, MAX_CONTENT_BYTES, MAX_CONTENT_BYTES).describe(
      "Of the content, 1 MiB at most; more is ERLIMIT",
    ),
  }),
  result: z.object({
    format: z.enum(EXPORT_FORMATS),
    content: z.string().nullable().describe("Null where it is in a file"),
    path: z.string().nullable(),
    bytes: z.int().describe("Of UTF-8"),
    cursor: cursor,
    until: cursor,
    next_cursor: cursor.nullable().describe("Of a part, where the next one begins; null: that was all"),
    missing_bytes: z.int().describe("Of the output: they were not kept"),
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
