/**
 * `log/audit.jsonl`: a record of each call, who made it and what became of it. Never what was typed or given to read, never values of variables, and no
 * message of an error, which may repeat what was asked for.
 *
 * A call that acts is on disk before it is answered. Those that only read come by the ten thousand a second: they are gathered, and written together.
 */
import type { Settings } from "../config/keys.ts";
import { maskArgv } from "../platform/mask.ts";
import { RotatedFile } from "../platform/rotated-file.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Effect } from "../protocol/rows/row.schema.ts";
import { TABLE } from "../protocol/table.schema.ts";
import type { Passage } from "./passages.ts";
import { inputBytesIn } from "./input-bytes.ts";
import { outputBytesIn } from "./output-bytes.ts";

const GATHER_MS = 50;
const GATHER_LINES = 500;
/** Of a command line: the session's own record has all of it. */
const MAX_WORDS = 64;
const MAX_WORD = 1024;

export interface Ended {
  passage: Passage;
  durationMs: number;
  outcome: { result: unknown } | { error: unknown };
}

export class Audit implements Disposable {
  readonly #file: RotatedFile;
  readonly #calls: () => Settings["audit.calls"];
  #gathered: string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(path: string, settings: { known: Settings }) {
    const { "audit.max_bytes": maxBytes, "audit.keep": keep } = settings.known;
    this.#file = new RotatedFile(path, { maxBytes, keep });
    this.#calls = () => settings.known["audit.calls"];
  }

  ended(ended: Ended): void {
    const wanted = this.#calls();
    const effect: Effect = TABLE.get(ended.passage.method)?.effect ?? "read";
    if (wanted === "none" || (wanted === "acting" && effect === "read")) return;
    this.#gathered.push(effect === "read" ? shortLine(ended) : `${JSON.stringify(recordOf(ended))}\n`);
    if (effect !== "read" || this.#gathered.length >= GATHER_LINES) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), GATHER_MS);
  }

  [Symbol.dispose](): void {
    this.#write();
    this.#file[Symbol.dispose]();
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gathered.length > 0) this.#file.append(this.#gathered.join(""));
    this.#gathered = [];
  }
}

function recordOf({ passage, durationMs, outcome }: Ended): object {
  const { caller, method, alias, params, callId, start, decision, approval } = passage;
  const result = "result" in outcome ? fieldsOf(outcome.result) : {};
  return {
    time: now(),
    call_id: callId,
    method: method.slice(0, 80),
    ...(alias === null ? {} : { alias }),
    caller: caller.label,
    caller_kind: caller.kind,
    caller_pid: caller.pid,
    session_id: sessionIn(method, result, fieldsOf(params)),
    ...(start === null ? commandIn(method, fieldsOf(params)) : shownIn(start)),
    duration_ms: Math.round(durationMs * 1000) / 1000,
    error: "error" in outcome ? codeOf(outcome.error) : null,
    exit_code: numberIn(result["exit_code"]) ?? numberIn(result["rc"]),
    input_bytes: inputBytesIn(params),
    output_bytes: outputBytesIn(result),
    ...(decision === null ? {} : { policy: { verdict: decision.verdict, rule: decision.rule, ...approval } }),
  };
}

function shownIn(start: NonNullable<Passage["start"]>): object {
  const { argv, ...rest } = start();
  return { ...rest, argv: shortened(maskArgv(argv)) };
}

/** The same of a call that started nothing, written by hand: JSON.stringify would be a tenth of what a small call takes. */
function shortLine({ passage, durationMs, outcome }: Ended): string {
  const { caller, method, alias, params, callId } = passage;
  const result = "result" in outcome ? fieldsOf(outcome.result) : {};
  const session = sessionIn(method, result, fieldsOf(params));
  const error = "error" in outcome ? `"${codeOf(outcome.error)}"` : "null";
  const exit = numberIn(result["exit_code"]) ?? numberIn(result["rc"]);
  return `{"time":"${now()}","call_id":"${callId}","method":${TABLE.has(method) ? `"${method}"` : JSON.stringify(method.slice(0, 80))},${alias === null ? "" : `"alias":${JSON.stringify(alias)},`}"caller":${JSON.stringify(caller.label)},"caller_kind":"${caller.kind}","caller_pid":${caller.pid},"session_id":${session === null ? "null" : JSON.stringify(session)},"duration_ms":${Math.round(durationMs * 1000) / 1000},"error":${error},"exit_code":${exit},"input_bytes":${inputBytesIn(params)},"output_bytes":${outputBytesIn(result)}}\n`;
}

/** What was run in a shell that is there. */
function commandIn(method: string, { command }: Record<string, unknown>): { argv?: string[] } {
  if (method !== "session.exec" || typeof command !== "string") return {};
  return { argv: shortened(maskArgv([command])) };
}

/** A terminal's `id` is that of its session. */
function sessionIn(method: string, result: Record<string, unknown>, params: Record<string, unknown>): string | null {
  const key = method.startsWith("pty.") ? "id" : "session_id";
  return textIn(result[key]) ?? textIn(params[key]);
}

let last = { at: 0, text: "" };

/** Of many calls in one millisecond. */
function now(): string {
  const at = Date.now();
  if (at !== last.at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}

function codeOf(error: unknown): string {
  return error instanceof HoltError ? error.code : "EINTERNAL";
}

function shortened(argv: readonly string[]): string[] {
  const kept = argv.slice(0, MAX_WORDS).map((word) => (word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word));
  return argv.length > MAX_WORDS ? [...kept, "…"] : kept;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, 128) : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
