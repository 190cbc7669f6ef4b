/** A session's state in words: the same in a terminal and on the page, so that whoever reads both reads of one thing. */
import type { FinalReason, Session } from "./session.ts";

type Described = Pick<Session, "state" | "reason" | "exit_code" | "signal" | "restart">;

export interface StateDescription {
  sign: string;
  /** The state and what it came to: "exited 1", "signaled SIGTERM", "failed holder_lost". */
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
  if (wasNeverStarted(session)) return { sign: "■", words: "not started again", look: "plain" };
  if (state === "exited" && exit_code === 0) return { sign: "✓", words, look: "plain" };
  if (reason !== null && ASKED_FOR.includes(reason)) return { sign: "■", words, look: "plain" };
  return { sign: "✗", words, look: "bad" };
}

/** The same for a person, who reads no names of reasons. */
export function readableState(session: Described): StateDescription {
  const { sign, words, look } = describeState(session);
  const { state, reason } = session;
  const said = state === "failed" && reason !== null && !wasNeverStarted(session) ? failureText(reason) : words;
  return { sign, words: said, look };
}

/** Where there is room for one thing only: that its time was over says more than the signal that ended it. Null where there is no more to say than elsewhere. */
export function limitState({ state, reason }: Described): StateDescription | null {
  const isLimit = reason === "timeout" || reason === "idle_timeout" || reason === "limit_exceeded";
  return state === "signaled" && isLimit ? { sign: "✗", words: reason.replaceAll("_", " "), look: "bad" } : null;
}

/** Its command has ended before, and is to be started again. */
export function awaitsRestart({ state, restart }: Described): boolean {
  return state === "starting" && restart !== null && restart.starts_at !== null;
}

/** Somebody ended it while it waited for that. */
function wasNeverStarted({ state, reason, restart }: Described): boolean {
  return state === "failed" && restart !== null && reason !== null && ASKED_FOR.includes(reason);
}

function failureText(reason: FinalReason): string {
  return reason === "spawn_failed" ? "failed to start" : `failed, ${reason.replaceAll("_", " ")}`;
}

/** An end that somebody asked for is no failure. */
const ASKED_FOR: readonly FinalReason[] = ["stop_requested", "kill_requested", "daemon_shutdown"];
