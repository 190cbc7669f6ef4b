/** The calls of one connection: begun, given up, and turned into answers. One that is answered at once was never under way. */
import { HoltError, JSONRPC_ERRORS } from "../../protocol/types/errors.ts";
import { type RpcRequest, errorOf, type Id, resultOf } from "./messages.ts";

const MAX_CALLS = 64;
const CANCEL = "$/cancelRequest";

/** What the answers of calls under way may come to together, as far as they say so themselves. */
const MAX_PENDING_ANSWER_BYTES = 8 * 1024 * 1024;

/** The other side of a connection, for news that it subscribed to. */
export interface NotificationSink {
  /** Fires when the connection is closed. */
  readonly closeSignal: AbortSignal;
  /** Resolves when there is room for more news. */
  notify(method: string, params: object): Promise<void>;
}

/** The caller's side of one call. */
export interface CallOrigin {
  /** Fires when the caller gives the call up. */
  readonly signal: AbortSignal;
  /** The caller's own id for the call; null: it has none. */
  readonly correlationId: string | null;
  readonly notifications: NotificationSink;
}

/** A caller that waits for one answer while the signal has not fired, and takes no news. */
export function singleCallOrigin(signal: AbortSignal, correlationId: string | null): CallOrigin {
  return { signal, correlationId, notifications: { closeSignal: signal, async notify() {} } };
}

export interface Methods {
  knows(method: string): boolean;
  /** Logs a request that gets an error before it is a call. Returns the correlation id for the answer. */
  refused(error: Pick<HoltError, "code" | "message">): string;
  /** The result, or a promise of it: what is there at once need not wait for anything. */
  call(method: string, params: unknown, from: CallOrigin): unknown;
  /** How long its answer may become, of a call that answers without waiting for anything but the disk; 0 where that is not known. */
  answerBytes?(method: string, params: unknown): number;
}

/** Where an answer goes: null where there is nothing to say. */
export type AnswerCallback = (answer: object | null) => void;

export function isCancel(request: RpcRequest): boolean {
  return request.kind !== "invalid" && request.method === CANCEL;
}

/** Of the call that is to be given up. */
export function idToCancel(request: RpcRequest): unknown {
  return request.kind === "invalid" ? undefined : (request.params as { id?: unknown } | null | undefined)?.id;
}

/** A call under way. A signal takes longer to make than a small call does: one whose handler does not look at it has none. */
class RunningCall implements CallOrigin {
  readonly id: Id;
  readonly correlationId: string | null;
  readonly notifications: NotificationSink;
  #controller: AbortController | null = null;

  constructor(id: Id, correlationId: string | null, listener: NotificationSink) {
    this.id = id;
    this.correlationId = correlationId;
    this.notifications = listener;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abortAll(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}

export class Calls {
  readonly #methods: Methods;
  readonly #listener: NotificationSink;
  readonly #running = new Set<RunningCall>();
  #answersBytes = 0;

  constructor(methods: Methods, listener: NotificationSink) {
    this.#methods = methods;
    this.#listener = listener;
  }

  /** With as many under way as may be, or such as will be answered with much, another one must wait. */
  mustWait(request: RpcRequest): boolean {
    if (this.#running.size >= MAX_CALLS) return true;
    if (this.#answersBytes === 0 || request.kind === "invalid") return false;
    const more = this.#answerBytes(request.method, request.params);
    return more > 0 && this.#answersBytes + more > MAX_PENDING_ANSWER_BYTES;
  }

  /** Whether it was answered at once. */
  begin(request: RpcRequest, onAnswer: AnswerCallback): boolean {
    const before = this.#running.size;
    if (request.kind === "invalid") onAnswer(request.answer);
    else if (request.kind === "call") this.#run(request, request.id, onAnswer);
    else this.#run(request, null, () => onAnswer(null));
    return this.#running.size === before;
  }

  /** Nobody waits for them any more. */
  abort(): void {
    for (const call of this.#running) call.abortAll();
  }

  #run(
    { method, params, correlationId }: Exclude<RpcRequest, { kind: "invalid" }>,
    id: Id,
    onAnswer: AnswerCallback,
  ): void {
    if (method === CANCEL) {
      this.#cancel((params as { id?: unknown } | null | undefined)?.id);
      return onAnswer(resultOf(id, null));
    }
    const call = new RunningCall(id, correlationId, this.#listener);
    let result: unknown;
    try {
      result = this.#methods.call(method, params, call);
    } catch (error) {
      return onAnswer(this.#errorAnswer(id, method, error));
    }
    if (!(result instanceof Promise)) return onAnswer(resultOf(id, result));
    const bytes = this.#answerBytes(method, params);
    this.#answersBytes += bytes;
    void this.#await(call, method, result, (answer) => {
      this.#answersBytes -= bytes;
      onAnswer(answer);
    });
  }

  #answerBytes(method: string, params: unknown): number {
    return this.#methods.answerBytes?.(method, params) ?? 0;
  }

  async #await(call: RunningCall, method: string, result: Promise<unknown>, onAnswer: AnswerCallback): Promise<void> {
    this.#running.add(call);
    let answer: object;
    try {
      answer = resultOf(call.id, await result);
    } catch (error) {
      answer = this.#errorAnswer(call.id, method, error);
    }
    this.#running.delete(call);
    onAnswer(answer);
  }

  #errorAnswer(id: Id, method: string, error: unknown): object {
    const known = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error));
    return this.#methods.knows(method) ? errorOf(id, known) : errorOf(id, known, JSONRPC_ERRORS.method);
  }

  #cancel(id: unknown): void {
    for (const call of this.#running) if (call.id !== null && call.id === id) call.abortAll();
  }
}
