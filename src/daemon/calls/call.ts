/** Runs one call, from any surface: lookup, parameters, handler, result check, or the error. */
import { deadlineAfter, type Deadline } from "../../client/deadline.ts";
import { withIdHint } from "../../client/sessions/id-hint.ts";
import { stateError } from "../../client/state-error.ts";
import { canonicalCall } from "../../protocol/methods/aliases.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { nearest } from "../../protocol/methods/nearest.ts";
import type { SessionParamName } from "../../protocol/methods/rows/row.schema.ts";
import { type AnyRow, TABLE } from "../../protocol/methods/table.schema.ts";
import type { CallOrigin, NotificationSink, Methods } from "../../surfaces/jsonrpc/calls.ts";
import type { Caller } from "./caller.ts";
import { HANDLERS } from "../handlers/handlers.ts";
import type { CallContext, DaemonContext } from "../daemon-context.ts";
import { parsedParams } from "./parsed-params.ts";
import type { CallRecord } from "./call-record.ts";

const READS = new Set(["fs.read_file", "session.read", "session.export", "exec.output"]);
/** Maximum size of an answer. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const BASE64 = 4 / 3;

/** The table matches params to handlers; the type system cannot for a single entry. */
type AnyHandler = (params: unknown, context: CallContext) => unknown;

/** The table's methods for one caller. */
export function methodsFor(caller: () => Caller, daemon: DaemonContext): Methods {
  return {
    knows: (method) => TABLE.has(canonicalCall(method, null).method),
    answerBytes,
    logRefused: (error) => daemon.gate.logRefused(error),
    call(name, given, from) {
      // Behind this point every method has one name.
      const { method, params } = canonicalCall(name, given);
      const incoming = { caller: caller(), method, alias: name === method ? null : name, params, from };
      return daemon.gate.pass(incoming, (call) => answer(daemon, call, from));
    },
  };
}

/**
 * The estimated size of an answer, from the parameters. Calls with large answers take turns on a
 * connection. Calls that wait for output or approval count as 0, as they would block others.
 */
function answerBytes(name: string, given: unknown): number {
  const maxBytes = (given as { max_bytes?: unknown } | null | undefined)?.max_bytes;
  if (maxBytes === undefined && name !== "session.export") return 0;
  const { method, params } = canonicalCall(name, given);
  const waits = (params as { wait_ms?: unknown } | null | undefined)?.wait_ms ?? 0;
  if (!READS.has(method) || waits !== 0) return 0;
  return Math.ceil(Math.min(typeof maxBytes === "number" ? maxBytes : MAX_ANSWER_BYTES, MAX_ANSWER_BYTES) * BASE64);
}

function answer(daemon: DaemonContext, call: CallRecord, from: CallOrigin): Promise<unknown> {
  const row = TABLE.get(call.method);
  if (row === undefined) throw unknownMethod(call.method);
  const params = parsedParams(row, call.params ?? {});
  return new RunningCall({ daemon, call, row, from }).answer(params);
}

interface RunningCallParts {
  daemon: DaemonContext;
  call: CallRecord;
  row: AnyRow;
  from: CallOrigin;
}

class RunningCall implements CallContext {
  readonly daemon: DaemonContext;
  readonly call: CallRecord;
  readonly #row: AnyRow;
  readonly #from: CallOrigin;
  #deadline: Deadline | null = null;

  constructor({ daemon, call, row, from }: RunningCallParts) {
    this.daemon = daemon;
    this.call = call;
    this.#row = row;
    this.#from = from;
  }

  get connection(): NotificationSink {
    return this.#from.notifications;
  }

  get signal(): AbortSignal {
    this.#deadline ??= deadlineAfter(this.#deadlineMs, this.#from.signal);
    return this.#deadline.signal;
  }

  async answer(params: unknown): Promise<unknown> {
    const { daemon, call } = this;
    daemon.callBegan();
    try {
      const result = this.#handle(params);
      return this.#checked(result instanceof Promise ? await unlessAborted(result, this.signal) : result);
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#deadline?.[Symbol.dispose]();
      daemon.callEnded();
      daemon.collector.callEnded(call.began);
    }
  }

  #handle(params: unknown): unknown {
    const { name, sessionParam } = this.#row;
    const handler = HANDLERS[name] as AnyHandler;
    return sessionParam === undefined ? handler(params, this) : this.#handleIfAllowed(handler, params, sessionParam);
  }

  /** Checks access to the session before the handler runs. */
  async #handleIfAllowed(handler: AnyHandler, params: unknown, name: SessionParamName): Promise<unknown> {
    // The table guarantees the parameter and that it is an id.
    await this.daemon.access.require(this.call, (params as Record<SessionParamName, string>)[name]);
    return handler(params, this);
  }

  /** Includes the time for an approval. */
  get #deadlineMs(): number {
    return this.#row.deadlineMs + this.daemon.userApproval.extraMs(this.#row.effect);
  }

  /** The result, reduced to what the table declares. */
  #checked(result: unknown): unknown {
    const checked = this.#row.result.safeParse(result);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw new HoltError(
      "EINTERNAL",
      `${this.#row.name} returned an invalid result:  ${issue?.path.join(".")} ${issue?.message}`,
    );
  }

  #failure(error: unknown): HoltError {
    const known = this.#asHoltError(error);
    if (known.code === "EINTERNAL") {
      const stack = error instanceof Error ? (error.stack ?? null) : null;
      const fields = { method: this.#row.name, correlation_id: this.call.id, stack };
      this.daemon.log.write("error", known.message, fields);
    }
    return known;
  }

  #asHoltError(error: unknown): HoltError {
    const { name } = this.#row;
    // Without a deadline no handler read the signal: the call was answered at once.
    if (this.#deadline !== null && this.#from.signal.aborted) return new HoltError("ECANCELED", `${name} was canceled`);
    if (this.#deadline?.signal.aborted === true)
      return new HoltError("ETIMEOUT", `${name} took longer than ${this.#deadlineMs} ms`);
    const known = stateError(error, "access the sessions");
    if (known instanceof HoltError) return withIdHint(known, this.daemon.sessions);
    const message = error instanceof Error ? error.message : String(error);
    return new HoltError("EINTERNAL", `internal error: ${message}`, {
      hint: "this is a bug in holt; see log/holt.jsonl",
      cause: error,
    });
  }
}

/** Cancels a call whose handler ignores the signal. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const canceled = (): void => reject(new HoltError("ECANCELED", "the call was canceled"));
    if (signal.aborted) canceled();
    else signal.addEventListener("abort", canceled, { once: true });
    work.then(resolve, reject);
  });
}

function unknownMethod(method: string): HoltError {
  const near = nearest(method, [...TABLE.keys()]);
  return new HoltError("EBADARGS", `unknown method ${JSON.stringify(method.slice(0, 80))}`, {
    hint: near === null ? `methods: ${[...TABLE.keys()].join(", ")}` : `did you mean ${near}?`,
  });
}
