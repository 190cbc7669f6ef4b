/**
 * `log/audit.jsonl`: one record per call with its caller and outcome.
 *
 * It never contains input, values of variables, or error messages, which may repeat input. The
 * record of an acting call is on disk before its answer is sent. Reads come by the ten thousand a
 * second: their records are buffered and written together.
 */
import type { Settings } from "../../config/keys.ts";
import { maskArgv } from "../../platform/log/mask.ts";
import { RotatedFile } from "../../platform/fs/rotated-file.ts";
import type { Effect } from "../../protocol/methods/rows/row.schema.ts";
import { TABLE } from "../../protocol/methods/table.schema.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { codeOf, type FinishedCall, fieldsOf, now, numberIn, outputBytesIn, sessionIn } from "./audit-fields.ts";
import { inputBytesIn } from "../calls/input-bytes.ts";

const FLUSH_MS = 50;
const MAX_BUFFERED = 128 * 1024;
/** Limits on a recorded command line; the session's own record has all of it. */
const MAX_WORDS = 64;
const MAX_WORD = 1024;

export class Audit implements Disposable {
  readonly #file: RotatedFile;
  readonly #calls: () => Settings["audit.calls"];
  #buffered = "";
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `failed` receives the error when the file cannot be written. */
  constructor(path: string, settings: { lastValid: Settings }, failed: (why: string) => void = () => {}) {
    const { "audit.max_bytes": maxBytes, "audit.keep": keep } = settings.lastValid;
    this.#file = new RotatedFile(path, { maxBytes, keep }, failed);
    this.#calls = () => settings.lastValid["audit.calls"];
  }

  record(ended: FinishedCall): void {
    const setting = this.#calls();
    const effect: Effect = TABLE.get(ended.call.method)?.effect ?? "read";
    if (setting === "none" || (setting === "acting" && effect === "read")) return;
    this.#buffered += `${JSON.stringify(recordOf(ended))}\n`;
    if (effect === "read" && this.#buffered.length < MAX_BUFFERED)
      this.#timer ??= setTimeout(() => this.#write(), FLUSH_MS);
    else this.#write();
  }

  [Symbol.dispose](): void {
    this.#write();
    this.#file[Symbol.dispose]();
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#buffered !== "") this.#file.append(this.#buffered);
    this.#buffered = "";
  }
}

function recordOf({ call, durationMs, outcome }: FinishedCall): object {
  const { caller, method, alias, params, start, decision, approval } = call;
  const result = "result" in outcome ? fieldsOf(outcome.result) : {};
  return {
    time: now(),
    correlation_id: call.id,
    method: method.slice(0, 80),
    ...(alias === null ? {} : { alias }),
    caller: caller.label,
    caller_kind: caller.kind,
    caller_pid: caller.pid,
    session_id: sessionIn(method, result, fieldsOf(params)),
    ...(start === null ? commandIn(method, fieldsOf(params)) : startedIn(start)),
    duration_ms: Math.round(durationMs * 1000) / 1000,
    error: "error" in outcome ? codeOf(outcome.error) : null,
    exit_code: numberIn(result["exit_code"]) ?? numberIn(result["rc"]),
    input_bytes: inputBytesIn(params),
    output_bytes: outputBytesIn(result),
    ...(decision === null ? {} : { policy: { verdict: decision.verdict, rule: decision.rule, ...approval } }),
  };
}

function startedIn(start: NonNullable<CallRecord["start"]>): object {
  const { argv, ...rest } = start();
  return { ...rest, argv: shortened(maskArgv(argv)) };
}

/** The command run in a live shell. */
function commandIn(method: string, { command }: Record<string, unknown>): { argv?: string[] } {
  if (method !== "session.exec" || typeof command !== "string") return {};
  return { argv: shortened(maskArgv([command])) };
}

function shortened(argv: readonly string[]): string[] {
  const kept = argv.slice(0, MAX_WORDS).map((word) => (word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word));
  return argv.length > MAX_WORDS ? [...kept, "…"] : kept;
}
