/** How a session is put into words. Everything here is safe to print: names, arguments and output are foreign text. */
import { formatAge } from "../protocol/duration.ts";
import { isSame, processStatus } from "../platform/processes.ts";
import type { FinalReason, Session } from "../protocol/session.ts";
import { oneLine } from "../terminal/one-line.ts";
import type { Look } from "./style.ts";

export { commandLine } from "../terminal/command-line.ts";

export interface StateDescription {
  sign: string;
  /** The state and what it came to: "exited 1", "signaled SIGTERM", "failed holder_lost". */
  words: string;
  look: Look;
}

export function describeState(session: Session): StateDescription {
  const { state, reason, exit_code, signal } = session;
  if (isWaiting(session)) return { sign: "◌", words: "restarting", look: "warn" };
  if (state === "starting") return { sign: "◌", words: state, look: "accent" };
  if (state === "running") return { sign: "●", words: state, look: "good" };
  const detail = state === "exited" ? exit_code : state === "signaled" ? signal : reason;
  const words = detail === null ? state : `${state} ${detail}`;
  if (wasNeverStarted(session)) return { sign: "■", words: "not started again", look: "plain" };
  if (state === "exited" && exit_code === 0) return { sign: "✓", words, look: "plain" };
  if (reason !== null && ASKED_FOR.includes(reason)) return { sign: "■", words, look: "plain" };
  return { sign: "✗", words, look: "bad" };
}

export interface StateText {
  text: string;
  look: Look;
}

/** The same for a person: sign and words, and whether Ctrl-Z has stopped it. */
export function stateText(session: Session): StateText {
  const { sign, words, look } = describeState(session);
  if (session.state === "running" && isStopped(session)) return { text: "‖ stopped", look: "warn" };
  if (isWaiting(session)) return { text: `${sign} restarts in ${formatAge(msToStart(session))}`, look };
  if (session.quiet_since !== null)
    return { text: `◌ quiet ${formatAge(Date.now() - Date.parse(session.quiet_since))}`, look: "dim" };
  const isFailed = session.state === "failed" && session.reason !== null && !wasNeverStarted(session);
  const said = isFailed && session.reason !== null ? failureText(session.reason) : words;
  return { text: `${sign} ${said}`, look };
}

/** Its command has ended before, and is to be started again. */
export function isWaiting({ state, restart }: Session): boolean {
  return state === "starting" && restart !== null && restart.starts_at !== null;
}

function msToStart({ restart }: Session): number {
  return Date.parse(restart?.starts_at ?? "") - Date.now();
}

/** Somebody ended it while it waited for that. */
function wasNeverStarted({ state, reason, restart }: Session): boolean {
  return state === "failed" && restart !== null && reason !== null && ASKED_FOR.includes(reason);
}

/** Where there is room for one thing only: that its time was over says more than the signal that ended it. */
export function stateInList(session: Session): StateText {
  const { state, reason, restart } = session;
  if (state === "signaled" && (reason === "timeout" || reason === "idle_timeout" || reason === "limit_exceeded"))
    return { text: `✗ ${reason.replaceAll("_", " ")}`, look: "bad" };
  const { text, look } = stateText(session);
  return { text: restart === null || restart.count === 0 ? text : `${text} ↻${restart.count}`, look };
}

function isStopped({ process: command }: Session): boolean {
  return command !== null && processStatus(command.pid)?.state === "T" && isSame(command);
}

function failureText(reason: FinalReason): string {
  return reason === "spawn_failed" ? "failed to start" : `failed, ${reason.replaceAll("_", " ")}`;
}

/** An end that somebody asked for is no failure. */
const ASKED_FOR: readonly FinalReason[] = ["stop_requested", "kill_requested", "daemon_shutdown"];

export function nameOf({ name }: Session): string {
  return name === null ? "" : oneLine(name);
}

/** `web (k3f9q2)`, or the id alone. */
export function label(session: Session): string {
  const name = nameOf(session);
  return name === "" ? session.session_id : `${name} (${session.session_id})`;
}
