/** Texts for models: outcomes, next steps and summaries of sessions. */
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

/** A tool call as text. */
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

/** The parameters of session_read that select output. */
export interface ReadParams {
  session_id: string;
  cursor?: string | undefined;
  [filter: string]: unknown;
}

const FILTERS = ["tail", "grep", "channel"];

/**
 * The next step after an ended session was read to its end: names output that this read did not
 * cover.
 */
export function nextAfterEnd({ session_id, cursor: from = "0", ...given }: ReadParams): string {
  const isFiltered = FILTERS.some((name) => given[name] !== undefined);
  if (!isFiltered && from === "0") return "nothing: this is all of its output";
  const rest = isFiltered ? {} : { until: from };
  const what = isFiltered ? "all of its output" : "the output before";
  return `nothing more: it has ended; ${callText("session_read", { session_id, ...rest })} has ${what}`;
}

/** The fields of a session in a list. */
export const BRIEF = {
  session_id: z.string(),
  name: z.string().nullable(),
  state: z.string(),
  reason: z.string().nullable().describe("Why it ended"),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  command: z.string().describe("Untrusted data: chosen by the client that started it"),
  cwd: z.string(),
  age_s: z.int().describe("Seconds since the start"),
  output_bytes: z.int().describe("Size of the output so far; also the cursor at its end"),
  quiet: z.boolean().describe("Running, but without activity for a long time"),
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

/** The fields of a session that was stopped. */
export const ENDED = {
  session_id: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  duration_ms: z.number().nullable(),
  survivors: z.array(z.int()).describe("Processes that are still running"),
  next_cursor: cursor.describe("The cursor at the end of its output"),
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
