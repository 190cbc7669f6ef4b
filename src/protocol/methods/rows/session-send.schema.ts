import * as z from "zod";
import { MAX_SECRET_BYTES } from "../../wire/holder-methods.ts";
import { cursor, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

/** What it was is nobody's business: no refusal repeats it. */
const secret = z.string({ error: "got something else, expected a text" });

export const sessionSend = row({
  name: "session.send",
  summary: "type into a session",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    text: z.string().optional().describe("As it is, of up to 2 MiB; a line ends with \\n, a key Enter is \\r"),
    data: z.base64().optional().describe("Bytes, in base64, of up to 2 MiB"),
    keys: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('By name: ["ctrl-c", "up", "enter"]; they follow the terminal\'s modes'),
    paste: z.string().optional().describe("As pasted, of up to 2 MiB: bracketed where the program asked for that"),
    secret: secret
      .optional()
      .describe(
        `A password or the like, as it is, of up to ${MAX_SECRET_BYTES} bytes. At a terminal only while that shows nothing of a line (session.wait "input" says echo_off); not even its length is kept`,
      ),
    eof: z
      .boolean()
      .default(false)
      .describe("Then the end of its input: on pipes its stdin is closed, at a terminal the key for it is sent"),
    takeover: z.boolean().default(false).describe("Take the keyboard, where one client alone may type"),
  }),
  result: z.object({
    bytes_written: z.int(),
    next_cursor: cursor.describe("Where its output stood when that was typed: what is printed in answer is past it"),
  }),
  errors: ["ENOTFOUND", "ESESSIONCLOSED", "EDENIED", "EBUSY", "EIO"],
  examples: [
    { session_id: "k3f9q2", text: "ls\n" },
    { session_id: "k3f9q2", keys: ["escape", ":", "q", "enter"] },
    { session_id: "k3f9q2", eof: true },
  ],
  cli: "holt send",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
