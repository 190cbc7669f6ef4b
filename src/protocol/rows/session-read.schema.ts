import * as z from "zod";
import { CHANNELS } from "../frames.ts";
import { DEFAULT_READ_BYTES } from "../session.ts";
import { capped, chunk, cursor, sessionId } from "./fields.schema.ts";
import { row, USUAL_DEADLINE_MS } from "./row.schema.ts";

const MAX_READ_BYTES = 1024 * 1024;

export const sessionRead = row({
  name: "session.read",
  summary: "output from a cursor on, as raw bytes",
  effect: "read",
  params: z.strictObject({
    session_id: sessionId,
    cursor: cursor.default("0").describe("Go on with next_cursor"),
    max_bytes: capped(1, MAX_READ_BYTES, DEFAULT_READ_BYTES),
    channel: z.enum(CHANNELS).optional(),
  }),
  result: z.object({
    chunks: z.array(chunk).describe("In order of offset; a hole between two is output that was not kept"),
    next_cursor: cursor,
    eof: z.boolean().describe("The session has ended, and nothing follows"),
    truncated: z.boolean().describe("Some of it was not kept"),
  }),
  errors: ["ENOTFOUND", "EIO"],
  examples: [{ session_id: "d4k8w1" }, { session_id: "d4k8w1", cursor: "1024", max_bytes: 128 }],
  cli: "holt logs",
  deadlineMs: USUAL_DEADLINE_MS,
});
