/**
 * Describes a session in words. Names, arguments and output are untrusted: all text returned here
 * is safe to print.
 */
import { formatAge } from "../../protocol/types/duration.ts";
import { isSame, processStatus } from "../../platform/process/processes.ts";
import type { Session } from "../../protocol/types/session.ts";
import { awaitsRestart, limitState, readableState } from "../../protocol/types/state-words.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import type { Look } from "./style.ts";

export { describeState, awaitsRestart } from "../../protocol/types/state-words.ts";
export { commandLine } from "../../terminal/text/command-line.ts";

export interface StateText {
  text: string;
  look: Look;
}

/** The state for a terminal: sign and words, including stopped, quiet and waiting for a restart. */
export function stateText(session: Session): StateText {
  const { sign, words, look } = readableState(session);
  if (session.state === "running" && isStopped(session)) return { text: "‖ stopped", look: "warn" };
  if (awaitsRestart(session)) return { text: `${sign} restarts in ${formatAge(msToStart(session))}`, look };
  if (session.quiet_since !== null)
    return { text: `◌ quiet ${formatAge(Date.now() - Date.parse(session.quiet_since))}`, look: "dim" };
  return { text: `${sign} ${words}`, look };
}

function msToStart({ restart }: Session): number {
  return Date.parse(restart?.starts_at ?? "") - Date.now();
}

/** The state for a table: a limit that ended the session replaces the signal. */
export function stateInList(session: Session): StateText {
  const limit = limitState(session);
  if (limit !== null) return { text: `${limit.sign} ${limit.words}`, look: limit.look };
  const { restart } = session;
  const { text, look } = stateText(session);
  return { text: restart === null || restart.count === 0 ? text : `${text} ↻${restart.count}`, look };
}

function isStopped({ process: command }: Session): boolean {
  return command !== null && processStatus(command.pid)?.state === "T" && isSame(command);
}

/** How the session ended, with the limit that ended it. */
export function endInWords(session: Session): string {
  const { words } = readableState(session);
  const limit = limitState(session);
  return limit === null ? words : `${words} (${limit.words})`;
}

export function nameOf({ name }: Session): string {
  return name === null ? "" : oneLine(name);
}

/** `web (k3f9q2)`, or the id alone. */
export function label(session: Session): string {
  const name = nameOf(session);
  return name === "" ? session.session_id : `${name} (${session.session_id})`;
}
