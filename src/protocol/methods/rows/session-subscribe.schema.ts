/** Rows of subscriptions; the notifications are in notifications.schema.ts. */
import * as z from "zod";
import { cursor, sessionId } from "./fields.schema.ts";
import { SUBSCRIBABLE } from "./notifications.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

export const sessionSubscribe = row({
  name: "session.subscribe",
  summary: "subscribe to a session's output and end, or to every session's start and end",
  effect: "read",
  params: z.strictObject({
    session_id: sessionId.optional().describe("Default: the start and end of every session"),
    cursor: cursor
      .optional()
      .describe("Send output from this cursor on, without gap or repetition; default: from now on"),
    events: z
      .array(z.enum(SUBSCRIBABLE))
      .min(1)
      .optional()
      .describe(
        "Notifications to send; default: started, output, state_changed and exited. exec.* report commands on pipes, pty.* terminals",
      ),
  }),
  result: z.object({
    subscription_id: z
      .string()
      .describe("Repeated in every notification; ends with session.unsubscribe or the connection"),
    cursor: cursor.nullable().describe("Cursor of the first output"),
  }),
  errors: ["ENOTFOUND", "ERLIMIT", "EIO"],
  examples: [
    { session_id: "k3f9q2", cursor: "0" },
    {},
    { session_id: "d4k8w1", cursor: "0", events: ["pty.output", "pty.exit"] },
  ],
  cli: "holt logs -f",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const sessionUnsubscribe = row({
  name: "session.unsubscribe",
  summary: "end a subscription of this connection",
  effect: "read",
  params: z.strictObject({ subscription_id: z.string() }),
  result: z.object({ ended: z.boolean().describe("False: unknown, or already ended with its session") }),
  errors: [],
  examples: [{ subscription_id: "s1" }],
  cli: null,
  deadlineMs: DEFAULT_DEADLINE_MS,
});
