/**
 * `log/audit.jsonl`: a record of each call, who made it and what became of it. Never what was typed or given to read, never values of variables, and no
 * message of an error, which may repeat what was asked for.
 *
 * A call that acts is on disk before it is answered. Those that only read come by the ten thousand a second: they are gathered, and written together.
 */
import type { Settings } from "../../config/keys.ts";
import { maskArgv } from "../../platform/log/mask.ts";
import { RotatedFile } from "../../platform/fs/rotated-file.ts";
import type { Effect } from "../../protocol/methods/rows/row.schema.ts";
import { TABLE } from "../../protocol/methods/table.schema.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { codeOf, type FinishedCall, fieldsOf, now, numberIn, outputBytesIn, sessionIn } from "./audit-fields.ts";
import { inputBytesIn } from "../calls/input-bytes.ts";

const GATHER_MS = 50;
const GATHERED_LENGTH = 128 * 1024;
/** Of a command line: the session's own record has all of it. */
const MAX_WORDS = 64;
const MAX_WORD = 1024;

export class Audit implements Disposable {
  readonly #file: RotatedFile;
  readonly #calls: () => Settings["audit.calls"];
  #gathered = "";
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `refused` is told why nothing can be written down. */
  constructor(path: string, settings: { known: Settings }, refused: (why: string) => void = () => {}) {
    const { "audit.max_bytes": maxBytes, "audit.keep": keep } = settings.known;
    this.#file = new RotatedFile(path, { maxBytes, keep }, refused);
    this.#calls = () => settings.known["audit.calls"];
  }

  ended(ended: FinishedCall): void {
    const wanted = this.#calls();
    const effect: Effect = TABLE.get(ended.call.method)?.effect ?? "read";
    if (wanted === "none" || (wanted === "acting" && effect === "read")) return;
    this.#gathered += `${JSON.stringify(recordOf(ended))}\n`;
    if (effect === "read" && this.#gathered.length < GATHERED_LENGTH)
      this.#timer ??= setTimeout(() => this.#write(), GATHER_MS);
    else this.#write();
  }

  [Symbol.dispose](): void {
    this.#write();
    this.#file[Symbol.dispose]();
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gathered !== "") this.#file.append(this.#gathered);
    this.#gathered = "";
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
    ...(start === null ? commandIn(method, fieldsOf(params)) : shownIn(start)),
    duration_ms: Math.round(durationMs * 1000) / 1000,
    error: "error" in outcome ? codeOf(outcome.error) : null,
    exit_code: numberIn(result["exit_code"]) ?? numberIn(result["rc"]),
    input_bytes: inputBytesIn(params),
    output_bytes: outputBytesIn(result),
    ...(decision === null ? {} : { policy: { verdict: decision.verdict, rule: decision.rule, ...approval } }),
  };
}

function shownIn(start: NonNullable<CallRecord["start"]>): object {
  const { argv, ...rest } = start();
  return { ...rest, argv: shortened(maskArgv(argv)) };
}

/** What was run in a shell that is there. */
function commandIn(method: string, { command }: Record<string, unknown>): { argv?: string[] } {
  if (method !== "session.exec" || typeof command !== "string") return {};
  return { argv: shortened(maskArgv([command])) };
}

function shortened(argv: readonly string[]): string[] {
  const kept = argv.slice(0, MAX_WORDS).map((word) => (word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word));
  return argv.length > MAX_WORDS ? [...kept, "…"] : kept;
}
