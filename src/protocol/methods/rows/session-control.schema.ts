/** Rows that control an existing session. */
import * as z from "zod";
import { MAX_GRACE_MS } from "../../wire/holder-methods.ts";
import { CONTROL_ERRORS, dimension, integerFrom, nothing, session, sessionId } from "./fields.schema.ts";
import { row, DEFAULT_DEADLINE_MS } from "./row.schema.ts";

const signal = z.string().describe('By name, e.g. "SIGINT"');
const END_MARGIN_MS = 20_000;

export const sessionResize = row({
  name: "session.resize",
  summary: "set the size of a session's terminal",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({ session_id: sessionId, cols: dimension, rows: dimension }),
  result: nothing,
  errors: CONTROL_ERRORS,
  examples: [{ session_id: "k3f9q2", cols: 120, rows: 40 }],
  cli: "holt resize",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const sessionSignal = row({
  name: "session.signal",
  summary: "send a signal to a session's command and its process group",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({ session_id: sessionId, signal }),
  result: nothing,
  errors: CONTROL_ERRORS,
  examples: [{ session_id: "k3f9q2", signal: "SIGINT" }],
  cli: "holt signal",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const sessionStop = row({
  name: "session.stop",
  summary: "end a session: a signal to all its processes, SIGKILL after a grace period; returns after the end",
  effect: "write",
  sessionParam: "session_id",
  isUntrusted: true,
  params: z.strictObject({
    session_id: sessionId,
    signal: signal.optional(),
    grace_ms: integerFrom(0, MAX_GRACE_MS).optional(),
  }),
  result: session,
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [
    { session_id: "k3f9q2", grace_ms: 200 },
    { session_id: "k3f9q2", signal: "SIGHUP" },
  ],
  cli: "holt stop",
  deadlineMs: MAX_GRACE_MS + END_MARGIN_MS,
});

export const sessionKill = row({
  name: "session.kill",
  summary: "kill all processes of a session at once (SIGKILL); returns after the end",
  effect: "write",
  sessionParam: "session_id",
  isUntrusted: true,
  params: z.strictObject({ session_id: sessionId }),
  result: session,
  errors: ["ENOTFOUND", "EDENIED", "EIO"],
  examples: [{ session_id: "k3f9q2" }],
  cli: "holt kill",
  deadlineMs: END_MARGIN_MS,
});

export const sessionRemove = row({
  name: "session.remove",
  summary: "remove an ended session and its output",
  effect: "write",
  sessionParam: "session_id",
  params: z.strictObject({ session_id: sessionId }),
  result: nothing,
  errors: ["ENOTFOUND", "EDENIED", "EBUSY", "EIO"],
  examples: [{ session_id: "d4k8w1" }],
  cli: "holt rm",
  deadlineMs: DEFAULT_DEADLINE_MS,
});

export const sessionRename = row({
  name: "session.rename",
  summary: "set or remove a session's name",
  effect: "write",
  sessionParam: "session_id",
  isUntrusted: true,
  params: z.strictObject({ session_id: sessionId, name: z.string().nullable() }),
  result: nothing,
  errors: CONTROL_ERRORS,
  examples: [{ session_id: "k3f9q2", name: "web" }],
  cli: "holt rename",
  deadlineMs: DEFAULT_DEADLINE_MS,
});
