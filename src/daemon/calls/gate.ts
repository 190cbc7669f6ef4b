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
import { codeOf, type FinishedCall } from "../audit/audit-fields.ts";
import { CallCounts } from "./call-counts.ts";
import type { CurrentSettings } from "../current-settings.ts";
import { inputBytesIn } from "./input-bytes.ts";
import type { IncomingCall, CallRecord } from "./call-record.ts";
import { limitExceeded } from "./policy-denial.ts";
import { KeyedCounter } from "./keyed-counter.ts";

export interface GateParts {
  settings: CurrentSettings;
  audit: Audit;
  log: Log;
}

export class Gate {
  readonly #settings: CurrentSettings;
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #current = new AsyncLocalStorage<CallRecord>();
  readonly #ids = new CorrelationIds();
  readonly #calls = new KeyedCounter();
  readonly counts = new CallCounts();

  constructor({ settings, audit, log }: GateParts) {
    this.#audit = audit;
    this.#log = log;
    this.#settings = settings;
  }

  /** A call, from its incoming to its answer. Its error has the id under which the log and the audit record the call. */
  async pass(incoming: IncomingCall, work: (call: CallRecord) => Promise<unknown>): Promise<unknown> {
    const id = incoming.from.correlationId ?? this.#ids.next();
    const call = { ...incoming, id, began: performance.now(), start: null, decision: null, approval: null };
    const underWay = this.#calls.more(call.caller.key);
    let outcome: { result: unknown } | { error: HoltError };
    try {
      this.#check(call, underWay);
      outcome = { result: await this.#current.run(call, work, call) };
    } catch (error) {
      outcome = {
        error: error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error), { cause: error }),
      };
    }
    this.#calls.fewer(call.caller.key);
    this.#note({ call, durationMs: performance.now() - call.began, outcome });
    if ("error" in outcome) throw outcome.error.withDetails({ correlation_id: id });
    return outcome.result;
  }

  /** The call that the work at hand belongs to; null for the daemon's own. */
  get current(): CallRecord | null {
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

  #note(ended: FinishedCall): void {
    const { call, durationMs, outcome } = ended;
    const method = TABLE.has(call.method) ? call.method : "unknown"; // an unknown name is not kept
    const error = "error" in outcome ? codeOf(outcome.error) : null;
    this.counts.count(method, durationMs, error);
    this.#audit.ended(ended);
    if (error === null && !this.#log.has("debug")) return;
    const fields = { correlation_id: call.id, method, error, duration_ms: Math.round(durationMs) };
    this.#log.write(error === null ? "debug" : "info", error === null ? "call" : "call failed", fields);
  }

  #check({ caller, params }: CallRecord, underWay: number): void {
    const settings = this.#settings.known;
    if (caller.kind === "person") return;
    const most = settings["policy.max_calls"];
    if (most !== null && underWay > most)
      throw limitExceeded("policy.max_calls", `${underWay} calls of this caller are under way, at most ${most}`);
    const input = inputBytesIn(params);
    const limit = settings["policy.max_input_bytes"];
    if (input > limit) throw limitExceeded("policy.max_input_bytes", `the input is ${input} bytes, at most ${limit}`);
  }
}
