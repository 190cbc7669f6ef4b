/** One call, whichever surface it came through: lookup, parameters, handler, check of the result, or the error that says why not. */
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
/** No answer has more. */
const MOST_BYTES = 8 * 1024 * 1024;
const BASE64 = 4 / 3;

/** The table says that the parsed params are this handler's; the type of one entry among many cannot. */
type AnyHandler = (params: unknown, context: CallContext) => unknown;

/** The table's methods, for one caller. */
export function methodsFor(caller: () => Caller, daemon: DaemonContext): Methods {
  return {
    knows: (method) => TABLE.has(canonicalCall(method, null).method),
    answerBytes,
    refused: (error) => daemon.gate.refused(error),
    call(name, given, from) {
      // The gate and everything behind it know methods by one name.
      const { method, params } = canonicalCall(name, given);
      const incoming = { caller: caller(), method, alias: name === method ? null : name, params, from };
      return daemon.gate.pass(incoming, (call) => answer(daemon, call, from));
    },
  };
}

/**
 * How long the answer to a call may become, as far as it says so itself: calls that would answer with much take turns on a connection. Those that wait for a
 * command, or for a person, do not count: they would keep others from waiting beside them.
 */
function answerBytes(name: string, given: unknown): number {
  const asked = (given as { max_bytes?: unknown } | null | undefined)?.max_bytes;
  if (asked === undefined && name !== "session.export") return 0;
  const { method, params } = canonicalCall(name, given);
  const waits = (params as { wait_ms?: unknown } | null | undefined)?.wait_ms ?? 0;
  if (!READS.has(method) || waits !== 0) return 0;
  return Math.ceil(Math.min(typeof asked === "number" ? asked : MOST_BYTES, MOST_BYTES) * BASE64);
}

function answer(daemon: DaemonContext, call: CallRecord, from: CallOrigin): Promise<unknown> {
  const row = TABLE.get(call.method);
  if (row === undefined) throw unknownMethod(call.method);
  const params = parsedParams(row, call.params ?? {});
  return new Call({ daemon, call, row, from }).answer(params);
}

interface CallParts {
  daemon: DaemonContext;
  call: CallRecord;
  row: AnyRow;
  from: CallOrigin;
}

class Call implements CallContext {
  readonly daemon: DaemonContext;
  readonly call: CallRecord;
  readonly #row: AnyRow;
  readonly #from: CallOrigin;
  #deadline: Deadline | null = null;

  constructor({ daemon, call, row, from }: CallParts) {
    this.daemon = daemon;
    this.call = call;
    this.#row = row;
    this.#from = from;
  }

  get listener(): NotificationSink {
    return this.#from.notifications;
  }

  get signal(): AbortSignal {
    this.#deadline ??= deadlineAfter(this.#deadlineMs, this.#from.signal);
    return this.#deadline.signal;
  }

  async answer(params: unknown): Promise<unknown> {
    const { daemon, call } = this;
    daemon.began();
    try {
      const result = this.#handled(params);
      return this.#checked(result instanceof Promise ? await unlessAborted(result, this.signal) : result);
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#deadline?.[Symbol.dispose]();
      daemon.ended();
      daemon.collector.ended(call.began);
    }
  }

  #handled(params: unknown): unknown {
    const { name, sessionParam } = this.#row;
    const handler = HANDLERS[name] as AnyHandler;
    return sessionParam === undefined ? handler(params, this) : this.#handledIfAllowed(handler, params, sessionParam);
  }

  /** Whether the caller may act on the session is decided first. */
  async #handledIfAllowed(handler: AnyHandler, params: unknown, name: SessionParamName): Promise<unknown> {
    // The table says that there is such a parameter, and that it is an id.
    await this.daemon.access.require(this.call, (params as Record<SessionParamName, string>)[name]);
    return handler(params, this);
  }

  /** With the time in which a person may be asked. */
  get #deadlineMs(): number {
    return this.#row.deadlineMs + this.daemon.userApproval.patienceMs(this.#row.effect);
  }

  /** What is sent: of the result, what the table says. */
  #checked(result: unknown): unknown {
    const checked = this.#row.result.safeParse(result);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw new HoltError(
      "EINTERNAL",
      `${this.#row.name} made a result that is none: ${issue?.path.join(".")} ${issue?.message}`,
    );
  }

  #failure(error: unknown): HoltError {
    const known = this.#known(error);
    if (known.code === "EINTERNAL") {
      const stack = error instanceof Error ? (error.stack ?? null) : null;
      const fields = { method: this.#row.name, correlation_id: this.call.id, stack };
      this.daemon.log.write("error", known.message, fields);
    }
    return known;
  }

  #known(error: unknown): HoltError {
    const { name } = this.#row;
    // Without a deadline nothing has looked at the signal, and the call was answered at once.
    if (this.#deadline !== null && this.#from.signal.aborted) return new HoltError("ECANCELED", `${name} was canceled`);
    if (this.#deadline?.signal.aborted === true)
      return new HoltError("ETIMEOUT", `${name} took longer than ${this.#deadlineMs} ms`);
    const known = stateError(error, "get at the sessions");
    if (known instanceof HoltError) return withIdHint(known, this.daemon.sessions);
    const message = error instanceof Error ? error.message : String(error);
    return new HoltError("EINTERNAL", `internal error: ${message}`, {
      hint: "this is a fault in holt, not in what you asked; log/holt.jsonl tells more",
      cause: error,
    });
  }
}

/** Ends a call whose handler does not look at its signal. */
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
    hint: near === null ? `there are ${[...TABLE.keys()].join(", ")}` : `did you mean ${near}?`,
  });
}
