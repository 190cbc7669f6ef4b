/** The row of session.send. */
import * as z from "zod";
import { MAX_SECRET_BYTES } from "../../wire/holder-methods.ts";
import { cursor, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

/** A refusal must not repeat the secret. */
const secret = z.string({ error: "got something else, expected a text" });

export const sessionSend = row({
  name: "session.send",
  summary: "send input to a session",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({
    session_id: sessionId,
    text: z
      .string()
      .optional()
      .describe("Text sent unchanged, at most 2 MiB; a line ends with \\n, the Enter key is \\r"),
    data: z.base64().optional().describe("Bytes in base64, at most 2 MiB"),
    keys: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('Keys by name: ["ctrl-c", "up", "enter"], encoded for the terminal\'s modes'),
    paste: z
      .string()
      .optional()
      .describe("Text sent as a paste, at most 2 MiB: bracketed if the program enabled that mode"),
    secret: secret
      .optional()
      .describe(
        `A password or other secret, sent unchanged, at most ${MAX_SECRET_BYTES} bytes. On a terminal only while echo is off (session.wait "input" reports echo_off); not even its length is recorded`,
      ),
    eof: z
      .boolean()
      .default(false)
      .describe("End the input afterwards: closes stdin on pipes, sends the EOF key on a terminal"),
    takeover: z.boolean().default(false).describe("Take the keyboard if only one client may type"),
  }),
  result: z.object({
    bytes_written: z.int(),
    next_cursor: cursor.describe("End of the output just before the input: the reply is past it"),
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
