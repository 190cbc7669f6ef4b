/** Results in the words that a model reads: how it went, and what to do next. */
import type { Session } from "../../../protocol/session.ts";

export interface Outcome {
  session_id: string;
  state: string;
  exit_code: number | null;
  signal: string | null;
  duration_ms?: number | null;
}

export function howItWent({ session_id, state, exit_code, signal, duration_ms }: Outcome): string {
  const took = duration_ms === null || duration_ms === undefined ? "" : ` after ${seconds(duration_ms)}`;
  if (state === "running" || state === "starting") return `session ${session_id} is running${took}`;
  if (exit_code !== null) return `exit code ${exit_code}${took} (session ${session_id})`;
  return `${signal === null ? state : `ended by ${signal}`}${took} (session ${session_id})`;
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** What a model does about a session that goes on. */
export function goOn(session_id: string, cursor: string): string {
  return `next: session_wait {"session_id":"${session_id}","until":["exit"],"cursor":"${cursor}"}, or session_read from cursor "${cursor}"`;
}

export function sessionLine({ session_id, name, state, exit_code, signal, argv, quiet }: Session): string {
  const how = exit_code ?? signal;
  const named = name === null ? "" : ` (${name})`;
  const command = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  return `${session_id}${named}  ${state}${how === null ? "" : ` ${how}`}${quiet ? ", quiet" : ""}  ${command.slice(0, 200)}`;
}
