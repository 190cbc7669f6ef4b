/** Notifications of a subscription, one row each. */
import * as z from "zod";
import { FINAL_REASONS, SESSION_STATES } from "../../types/session.ts";
import { base64, cursor } from "./fields.schema.ts";

/**
 * Names for `events`: session.* without the prefix; exec.* (sessions on pipes) and pty.*
 * (terminals) report the same events in their own fields.
 */
export const SUBSCRIBABLE = [
  "started",
  "output",
  "mode_changed",
  "state_changed",
  "exited",
  "exec.started",
  "exec.output",
  "exec.completed",
  "exec.failed",
  "pty.output",
  "pty.exit",
] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

const about = { subscription_id: z.string(), session_id: z.string() };
const aboutTerminal = { subscription_id: z.string(), id: z.string() };
const outcome = {
  state: z.enum(SESSION_STATES),
  reason: z.enum(FINAL_REASONS).nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
};

const truncated = z.boolean().describe("These bytes were not captured: `data` is empty");
const printed = z.object({
  ...about,
  channel: z.string().nullable(),
  cursor,
  next_cursor: cursor,
  timestamp: z.string().nullable(),
  data: base64,
  truncated,
});
const ended = { ...outcome, duration_ms: z.number().nullable(), cursor };

export const NOTIFICATIONS = {
  "session.started": {
    summary: "a session was started, by any caller",
    params: z.object({
      ...about,
      name: z.string().nullable(),
      argv: z.array(z.string()).describe("Cut short if it is long; session.get returns it in full"),
      cwd: z.string(),
    }),
  },
  "session.output": {
    summary: "output of a session, in order, each byte once",
    params: printed,
  },
  "session.mode_changed": {
    summary: "the terminal modes and title: at the start, and after each change",
    params: z.object({ ...about, modes: z.record(z.string(), z.unknown()), title: z.string() }),
  },
  "session.state_changed": {
    summary: "a session's state changed",
    params: z.object({ ...about, ...outcome }),
  },
  "session.exited": {
    summary: "a session has ended, and all its output was sent",
    params: z.object({ ...about, ...outcome, cursor }),
  },
  "exec.started": {
    summary: "a command on pipes runs; comes before exec.completed or exec.failed, but not after a failed spawn",
    params: z.object({ ...about, argv: z.array(z.string()), cwd: z.string(), started_at: z.string().nullable() }),
  },
  "exec.output": {
    summary: "output of a command, in order, each byte once",
    params: printed,
  },
  "exec.completed": {
    summary: "a command has ended by itself, with any exit code, or on request",
    params: z.object({ ...about, ...ended }),
  },
  "exec.failed": {
    summary: "a command could not be spawned, or was ended by a timeout, a limit or the loss of its holder",
    params: z.object({ ...about, ...ended, error: z.object({ code: z.string(), message: z.string() }) }),
  },
  "pty.output": {
    summary: "output of a terminal, in order, each byte once, as in pty.read",
    params: z.object({
      ...aboutTerminal,
      seq: z.int().describe("The cursor just past this chunk"),
      data: base64,
      ts: z.string().nullable(),
      truncated,
    }),
  },
  "pty.exit": {
    summary: "the program of a terminal has ended, and all its output was sent",
    params: z.object({
      ...aboutTerminal,
      rc: z.int().nullable().describe("Exit status as in pty.close"),
      duration_ms: z.number().nullable(),
      seq: z.int(),
    }),
  },
  "session.subscription_ended": {
    summary: "the daemon ended this subscription because its notifications were not read",
    params: z.object({ subscription_id: z.string(), reason: z.enum(["not_read"]), message: z.string() }),
  },
} as const;

export type Notification = keyof typeof NOTIFICATIONS;
export type NotificationParams<N extends Notification> = z.output<(typeof NOTIFICATIONS)[N]["params"]>;
