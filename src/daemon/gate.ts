/**
 * What every call passes, whichever surface it came through: it is counted, looked at, and written down. What it then starts or acts on is
 * admission.ts's to allow.
 */
import type { Log } from "../platform/log.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Audit } from "./audit.ts";
import type { Ended } from "./audit-fields.ts";
import type { CurrentSettings } from "./current-settings.ts";
import { inputBytesIn } from "./input-bytes.ts";
import { type Arrival, callIdOf, type Passage, type Passages } from "./passages.ts";
import { TABLE } from "../protocol/table.schema.ts";
import { CallCounts } from "./call-counts.ts";
import { codeOf } from "./audit-fields.ts";
import { tooMuch } from "./refusal.ts";
import { Tally } from "./tally.ts";

export interface GateParts {
  settings: CurrentSettings;
  audit: Audit;
  log: Log;
  passages: Passages;
}

export class Gate {
  readonly #settings: CurrentSettings;
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #passages: Passages;
  readonly #calls = new Tally();
  readonly counts = new CallCounts();

  constructor({ settings, audit, log, passages }: GateParts) {
    this.#audit = audit;
    this.#log = log;
    this.#settings = settings;
    this.#passages = passages;
  }

  /** A call, from its arrival to its answer, which is a promise where the call's is one. */
  pass(arrival: Arrival, call: (passage: Passage) => unknown): unknown {
    const passage = this.#passages.begin(arrival);
    const underWay = this.#calls.more(passage.caller.key);
    let result: unknown;
    try {
      this.#check(passage, underWay);
      result = this.#passages.within(passage, call);
    } catch (error) {
      throw this.#failed(passage, error);
    }
    if (result instanceof Promise) return this.#settled(passage, result);
    this.#over(passage, { result });
    return result;
  }

  async #settled(passage: Passage, answer: Promise<unknown>): Promise<unknown> {
    let result: unknown;
    try {
      result = await answer;
    } catch (error) {
      throw this.#failed(passage, error);
    }
    // Who has waited for it does not wait for what is written down together with others' anyway.
    if (TABLE.get(passage.method)?.effect === "read") this.#overSoon(passage, { result });
    else this.#over(passage, { result });
    return result;
  }

  /** The error to answer with; it has the id under which the log and the audit record the call. */
  #failed(passage: Passage, error: unknown): HoltError {
    const known = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error), { cause: error });
    this.#over(passage, { error: known });
    return known.within({ correlation_id: callIdOf(passage) });
  }

  /** Logs a request that is refused before it is a call. Returns the id for its answer. */
  refused({ code, message }: Pick<HoltError, "code" | "message">): string {
    const correlation_id = this.#passages.ids.next();
    this.#log.write("warn", "refused", { correlation_id, error: code, reason: message.slice(0, 200) });
    return correlation_id;
  }

  newCorrelationId(): string {
    return this.#passages.ids.next();
  }

  /** Once for each call. */
  #over(passage: Passage, outcome: Ended["outcome"]): void {
    this.#calls.fewer(passage.caller.key);
    this.#note({ passage, durationMs: performance.now() - passage.began, outcome });
  }

  #overSoon(passage: Passage, outcome: Ended["outcome"]): void {
    this.#calls.fewer(passage.caller.key);
    const durationMs = performance.now() - passage.began;
    setImmediate(() => this.#note({ passage, durationMs, outcome }));
  }

  #note(ended: Ended): void {
    const { passage, durationMs, outcome } = ended;
    const method = TABLE.has(passage.method) ? passage.method : "unknown"; // what nobody has is no name to keep
    const error = "error" in outcome ? codeOf(outcome.error) : null;
    this.counts.count(method, durationMs, error);
    this.#audit.ended(ended);
    if (error === null && !this.#log.has("debug")) return;
    const fields = { correlation_id: callIdOf(passage), method, error, duration_ms: Math.round(durationMs) };
    this.#log.write(error === null ? "debug" : "info", error === null ? "call" : "call failed", fields);
  }

  #check({ caller, params }: Passage, underWay: number): void {
    const settings = this.#settings.known;
    if (caller.kind === "person") return;
    const most = settings["policy.max_calls"];
    if (most !== null && underWay > most)
      throw tooMuch("policy.max_calls", `${underWay} calls of this caller are under way, at most ${most}`);
    const input = inputBytesIn(params);
    const limit = settings["policy.max_input_bytes"];
    if (input > limit) throw tooMuch("policy.max_input_bytes", `the input is ${input} bytes, at most ${limit}`);
  }
}
