/**
 * Every call passes the gate, from any surface: it is counted, checked against its caller's limits,
 * and audited. Starts and access to sessions are admission.ts's and session-access.ts's to allow.
 *
 * AsyncLocalStorage carries the current call to the code that runs for it.
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

  /** Runs a call from arrival to answer. An error carries the id used in log and audit. */
  async pass(incoming: IncomingCall, work: (call: CallRecord) => Promise<unknown>): Promise<unknown> {
    const id = incoming.from.correlationId ?? this.#ids.next();
    const call = { ...incoming, id, began: performance.now(), start: null, decision: null, approval: null };
    const inProgress = this.#calls.increment(call.caller.key);
    let outcome: { result: unknown } | { error: HoltError };
    try {
      this.#check(call, inProgress);
      outcome = { result: await this.#current.run(call, work, call) };
    } catch (error) {
      outcome = {
        error: error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error), { cause: error }),
      };
    }
    this.#calls.decrement(call.caller.key);
    this.#record({ call, durationMs: performance.now() - call.began, outcome });
    if ("error" in outcome) throw outcome.error.withDetails({ correlation_id: id });
    return outcome.result;
  }

  /** The call that the running code belongs to; null for the daemon's own work. */
  get current(): CallRecord | null {
    return this.#current.getStore() ?? null;
  }

  /** Logs a request that is refused before it becomes a call. Returns the id for its answer. */
  logRefused({ code, message }: Pick<HoltError, "code" | "message">): string {
    const correlation_id = this.#ids.next();
    this.#log.write("warn", "refused", { correlation_id, error: code, reason: message.slice(0, 200) });
    return correlation_id;
  }

  newCorrelationId(): string {
    return this.#ids.next();
  }

  #record(ended: FinishedCall): void {
    const { call, durationMs, outcome } = ended;
    const method = TABLE.has(call.method) ? call.method : "unknown"; // unknown names would grow the table
    const error = "error" in outcome ? codeOf(outcome.error) : null;
    this.counts.count(method, durationMs, error);
    this.#audit.record(ended);
    if (error === null && !this.#log.has("debug")) return;
    const fields = { correlation_id: call.id, method, error, duration_ms: Math.round(durationMs) };
    this.#log.write(error === null ? "debug" : "info", error === null ? "call" : "call failed", fields);
  }

  #check({ caller, params }: CallRecord, inProgress: number): void {
    const settings = this.#settings.lastValid;
    if (caller.kind === "person") return;
    const max = settings["policy.max_calls"];
    if (max !== null && inProgress > max)
      throw limitExceeded("policy.max_calls", `${inProgress} calls of this caller are in progress, at most ${max}`);
    const input = inputBytesIn(params);
    const limit = settings["policy.max_input_bytes"];
    if (input > limit) throw limitExceeded("policy.max_input_bytes", `the input is ${input} bytes, at most ${limit}`);
  }
}
