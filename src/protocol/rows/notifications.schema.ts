/** What a connection is told without asking again, once it has subscribed: one row a notification, as methods have. */
import * as z from "zod";
import { FINAL_REASONS, SESSION_STATES } from "../session.ts";
import { cursor } from "./fields.schema.ts";

/** Which of them a subscriber may choose. */
export const SUBSCRIBABLE = ["started", "output", "mode_changed", "state_changed", "exited"] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

const about = { subscription_id: z.string(), session_id: z.string() };
const outcome = {
  state: z.enum(SESSION_STATES),
  reason: z.enum(FINAL_REASONS).nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
};

export const NOTIFICATIONS = {
  "session.started": {
    summary: "a session was started, by whomever",
    params: z.object({
      ...about,
      name: z.string().nullable(),
      argv: z.array(z.string()).describe("Cut short where it is too long for a list; session.get has all of it"),
      cwd: z.string(),
    }),
  },
  "session.output": {
    summary: "output, in order, each byte once",
    params: z.object({
      ...about,
      channel: z.string().nullable(),
      cursor,
      next_cursor: cursor,
      timestamp: z.string().nullable(),
      data: z.string().meta({ contentEncoding: "base64" }),
      truncated: z.boolean().describe("These bytes were not kept: `data` is empty"),
    }),
  },
  "session.mode_changed": {
    summary:
      "how its terminal takes keys and shows things, and its title: at the beginning, and whenever the program changes them",
    params: z.object({ ...about, modes: z.record(z.string(), z.unknown()), title: z.string() }),
  },
  "session.state_changed": {
    summary: "a session's state is another",
    params: z.object({ ...about, ...outcome }),
  },
  "session.exited": {
    summary: "a session has ended, and all its output was told",
    params: z.object({ ...about, ...outcome, cursor }),
  },
  "session.subscription_ended": {
    summary: "this subscription is over, though nobody asked for it: what it would have told was not read",
    params: z.object({ subscription_id: z.string(), reason: z.enum(["not_read"]), message: z.string() }),
  },
} as const;

export type Notification = keyof typeof NOTIFICATIONS;
export type NotificationParams<N extends Notification> = z.output<(typeof NOTIFICATIONS)[N]["params"]>;
