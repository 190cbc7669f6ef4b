/**
 * Every call passes it, whichever surface it came through: it is counted, checked against the limits of its caller, and written down. What it then starts or acts on
 * is admission.ts's to allow. The call that a piece of work belongs to is carried along by the runtime (AsyncLocalStorage), not by each function in between.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "../../platform/log/log.ts";
import { CorrelationIds } from "../../protocol/wire/correlation-id.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { TABLE } from "../../protocol/methods/table.schema.ts";
import type { Audit } from "../audit/audit.ts";
import { codeOf, type Ended } from "../audit/audit-fields.ts";
import { CallCounts } from "./call-counts.ts";
import type { CurrentSettings } from "../current-settings.ts";
import { inputBytesIn } from "./input-bytes.ts";
import type { Arrival, Passage } from "./call-context.ts";
import { tooMuch } from "./refusal.ts";
import { Tally } from "./tally.ts";

export interface GateParts {
  settings: CurrentSettings;
  audit: Audit;
  log: Log;
}

export class Gate {
  readonly #settings: CurrentSettings;
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #current = new AsyncLocalStorage<Passage>();
  readonly #ids = new CorrelationIds();
  readonly #calls = new Tally();
  readonly counts = new CallCounts();

  constructor({ settings, audit, log }: GateParts) {
    this.#audit = audit;
    this.#log = log;
    this.#settings = settings;
  }

  /** A call, from its arrival to its answer. Its error has the id under which the log and the audit record the call. */
  async pass(arrival: Arrival, work: (passage: Passage) => Promise<unknown>): Promise<unknown> {
    const id = arrival.from.correlationId ?? this.#ids.next();
    const passage = { ...arrival, id, began: performance.now(), start: null, decision: null, approval: null };
    const underWay = this.#calls.more(passage.caller.key);
    let outcome: { result: unknown } | { error: HoltError };
    try {
      this.#check(passage, underWay);
      outcome = { result: await this.#current.run(passage, work, passage) };
    } catch (error) {
      outcome = {
        error: error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error), { cause: error }),
      };
    }
    this.#calls.fewer(passage.caller.key);
    this.#note({ passage, durationMs: performance.now() - passage.began, outcome });
    if ("error" in outcome) throw outcome.error.within({ correlation_id: id });
    return outcome.result;
  }

  /** The call that the work at hand belongs to; null for the daemon's own. */
  get current(): Passage | null {
    return this.#current.getStore() ?? null;
  }

  /** Logs a request that is refused before it is a call. Returns the id for its answer. */
  refused({ code, message }: Pick<HoltError, "code" | "message">): string {
    const correlation_id = this.#ids.next();
    this.#log.write("warn", "refused", { correlation_id, error: code, reason: message.slice(0, 200) });
    return correlation_id;
  }

  newCorrelationId(): string {
    return this.#ids.next();
  }

  #note(ended: Ended): void {
    const { passage, durationMs, outcome } = ended;
    const method = TABLE.has(passage.method) ? passage.method : "unknown"; // an unknown name is not kept
    const error = "error" in outcome ? codeOf(outcome.error) : null;
    this.counts.count(method, durationMs, error);
    this.#audit.ended(ended);
    if (error === null && !this.#log.has("debug")) return;
    const fields = { correlation_id: passage.id, method, error, duration_ms: Math.round(durationMs) };
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
