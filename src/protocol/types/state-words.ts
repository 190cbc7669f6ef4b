/** Words for a session's state, the same in a terminal and on the page. */
import type { FinalReason, Session } from "./session.ts";

type Described = Pick<Session, "state" | "reason" | "exit_code" | "signal" | "restart">;

export interface StateDescription {
  sign: string;
  /** The state and its outcome: "exited 1", "signaled SIGTERM", "failed holder_lost". */
  words: string;
  look: "accent" | "good" | "plain" | "warn" | "bad";
}

export function describeState(session: Described): StateDescription {
  const { state, reason, exit_code, signal } = session;
  if (awaitsRestart(session)) return { sign: "◌", words: "restarting", look: "warn" };
  if (state === "starting") return { sign: "◌", words: state, look: "accent" };
  if (state === "running") return { sign: "●", words: state, look: "good" };
  const detail = state === "exited" ? exit_code : state === "signaled" ? signal : reason;
  const words = detail === null ? state : `${state} ${detail}`;
  if (endedBeforeRestart(session)) return { sign: "■", words: "not started again", look: "plain" };
  if (state === "exited" && exit_code === 0) return { sign: "✓", words, look: "plain" };
  if (reason !== null && REQUESTED_ENDS.includes(reason)) return { sign: "■", words, look: "plain" };
  return { sign: "✗", words, look: "bad" };
}

/** The same with reasons in plain words. */
export function readableState(session: Described): StateDescription {
  const { sign, words, look } = describeState(session);
  const { state, reason } = session;
  const text = state === "failed" && reason !== null && !endedBeforeRestart(session) ? failureText(reason) : words;
  return { sign, words: text, look };
}

/**
 * For narrow displays: an expired limit says more than the signal that ended the session. Null when
 * no limit ended it.
 */
export function limitState({ state, reason }: Described): StateDescription | null {
  const isLimit = reason === "timeout" || reason === "idle_timeout" || reason === "limit_exceeded";
  return state === "signaled" && isLimit ? { sign: "✗", words: reason.replaceAll("_", " "), look: "bad" } : null;
}

/** Whether the session waits to restart its command. */
export function awaitsRestart({ state, restart }: Described): boolean {
  return state === "starting" && restart !== null && restart.starts_at !== null;
}

/** Whether it was ended on request while it waited for a restart. */
function endedBeforeRestart({ state, reason, restart }: Described): boolean {
  return state === "failed" && restart !== null && reason !== null && REQUESTED_ENDS.includes(reason);
}

function failureText(reason: FinalReason): string {
  return reason === "spawn_failed" ? "failed to start" : `failed, ${reason.replaceAll("_", " ")}`;
}

/** A requested end is not a failure. */
const REQUESTED_ENDS: readonly FinalReason[] = ["stop_requested", "kill_requested", "daemon_shutdown"];
