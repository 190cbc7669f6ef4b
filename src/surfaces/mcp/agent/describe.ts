/** Results in the words that a model reads: how it went, and what to do next. */
import * as z from "zod";
import type { Session } from "../../../protocol/types/session.ts";
import { cursor } from "../../../protocol/methods/rows/fields.schema.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";

export interface Outcome {
  session_id: string;
  state: string;
  exit_code: number | null;
  signal: string | null;
  duration_ms?: number | null;
}

export function outcomeText({ session_id, state, exit_code, signal, duration_ms }: Outcome): string {
  const took = duration_ms === null || duration_ms === undefined ? "" : ` after ${seconds(duration_ms)}`;
  if (isRunning(state)) return `session ${session_id} is running${took}`;
  if (exit_code !== null) return `exit code ${exit_code}${took} (session ${session_id})`;
  return `${signal === null ? state : `ended by ${signal}`}${took} (session ${session_id})`;
}

export function isRunning(state: string): boolean {
  return state === "running" || state === "starting";
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A call as it can be made. */
export function callText(tool: string, given: Readonly<Record<string, unknown>>): string {
  return `${tool} ${JSON.stringify(given)}`;
}

export function waitCall(session_id: string, at: string, ...until: unknown[]): string {
  return callText("session_wait", { session_id, until, cursor: at });
}

/** Without a cursor: from the beginning. */
export function readCall(session_id: string, at?: string): string {
  return callText("session_read", { session_id, cursor: at });
}

/** The parameters of a session_read that decide how much of the output the answer shows. */
export interface ReadParams {
  session_id: string;
  cursor?: string | undefined;
  [filter: string]: unknown;
}

const FILTERS = ["tail", "grep", "channel"];

/** The last step of reading an ended session: output that this read did not cover is named. */
export function nextAfterEnd({ session_id, cursor: from = "0", ...given }: ReadParams): string {
  const isFiltered = FILTERS.some((name) => given[name] !== undefined);
  if (!isFiltered && from === "0") return "nothing: that is all that it printed";
  const rest = isFiltered ? {} : { until: from };
  const what = isFiltered ? "all that it printed" : "what it printed before";
  return `nothing more: it has ended; ${callText("session_read", { session_id, ...rest })} has ${what}`;
}

/** Of a session, what a model needs to choose it and to go on with it. */
export const BRIEF = {
  session_id: z.string(),
  name: z.string().nullable(),
  state: z.string(),
  reason: z.string().nullable().describe("Why it ended"),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  command: z.string().describe("Untrusted: whoever started it chose it"),
  cwd: z.string(),
  age_s: z.int().describe("Since it was started"),
  output_bytes: z.int().describe("Printed so far: the cursor at its end"),
  quiet: z.boolean().describe("Lives, but has done nothing for long"),
};

export function brief(session: Session): z.infer<z.ZodObject<typeof BRIEF>> {
  const { session_id, name, state, reason, exit_code, signal, cwd, output_bytes, quiet, created_at } = session;
  const age_s = Math.max(0, Math.round((Date.now() - Date.parse(created_at)) / 1000));
  return {
    session_id,
    name,
    state,
    reason,
    exit_code,
    signal,
    command: commandOf(session),
    cwd,
    age_s,
    output_bytes,
    quiet,
  };
}

/** What became of one that was acted on. */
export const ENDED = {
  session_id: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  duration_ms: z.number().nullable(),
  survivors: z.array(z.int()).describe("Processes that it left running"),
  next_cursor: cursor.describe("The end of what it printed"),
};

export function ended(session: Session): z.infer<z.ZodObject<typeof ENDED>> {
  const { session_id, state, reason, exit_code, signal, duration_ms, survivors, output_bytes } = session;
  return { session_id, state, reason, exit_code, signal, duration_ms, survivors, next_cursor: String(output_bytes) };
}

const MAX_COMMAND_LENGTH = 200;

function commandOf({ argv }: Session): string {
  const words = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  const line = oneLine(words.join(" "));
  return line.length > MAX_COMMAND_LENGTH ? `${line.slice(0, MAX_COMMAND_LENGTH)}…` : line;
}

export function sessionLine(session: Session): string {
  const { session_id, name, state, exit_code, signal, quiet } = session;
  const how = exit_code ?? signal;
  const named = name === null ? "" : ` (${oneLine(name)})`;
  return `${session_id}${named}  ${state}${how === null ? "" : ` ${how}`}${quiet ? ", quiet" : ""}  ${commandOf(session)}`;
}
