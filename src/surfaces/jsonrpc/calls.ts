/** The calls of one connection: begun, given up, and turned into answers. One that is answered at once was never under way. */
import { HoltError, JSONRPC_ERRORS } from "../../protocol/types/errors.ts";
import { type Asked, errorOf, type Id, resultOf } from "./messages.ts";

const MAX_CALLS = 64;
const CANCEL = "$/cancelRequest";

/** What the answers of calls under way may come to together, as far as they say so themselves. */
const MAX_ANSWERS_BYTES = 8 * 1024 * 1024;

/** The other side of a connection, for news that it subscribed to. */
export interface Listener {
  /** Fires when the connection is closed. */
  readonly gone: AbortSignal;
  /** Resolves when there is room for more news. */
  tell(method: string, params: object): Promise<void>;
}

/** The caller's side of one call. */
export interface Asking {
  /** Fires when the caller gives the call up. */
  readonly signal: AbortSignal;
  /** The caller's own id for the call; null: it has none. */
  readonly correlationId: string | null;
  readonly listener: Listener;
}

/** A caller that waits for one answer while the signal has not fired, and takes no news. */
export function askingOnce(signal: AbortSignal, correlationId: string | null): Asking {
  return { signal, correlationId, listener: { gone: signal, async tell() {} } };
}

export interface Methods {
  knows(method: string): boolean;
  /** Logs a request that gets an error before it is a call. Returns the correlation id for the answer. */
  refused(error: Pick<HoltError, "code" | "message">): string;
  /** The result, or a promise of it: what is there at once need not wait for anything. */
  call(method: string, params: unknown, from: Asking): unknown;
  /** How long its answer may become, of a call that answers without waiting for anything but the disk; 0 where that is not known. */
  answerBytes?(method: string, params: unknown): number;
}

/** Where an answer goes: null where there is nothing to say. */
export type Answered = (answer: object | null) => void;

export function isCancel(asked: Asked): boolean {
  return asked.kind !== "invalid" && asked.method === CANCEL;
}

/** Of the call that is to be given up. */
export function canceledId(asked: Asked): unknown {
  return asked.kind === "invalid" ? undefined : (asked.params as { id?: unknown } | null | undefined)?.id;
}

/** A call under way. A signal takes longer to make than a small call does: one whose handler does not look at it has none. */
class UnderWay implements Asking {
  readonly id: Id;
  readonly correlationId: string | null;
  readonly listener: Listener;
  #controller: AbortController | null = null;

  constructor(id: Id, correlationId: string | null, listener: Listener) {
    this.id = id;
    this.correlationId = correlationId;
    this.listener = listener;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}

export class Calls {
  readonly #methods: Methods;
  readonly #listener: Listener;
  readonly #underWay = new Set<UnderWay>();
  #answersBytes = 0;

  constructor(methods: Methods, listener: Listener) {
    this.#methods = methods;
    this.#listener = listener;
  }

  /** With as many under way as may be, or such as will be answered with much, another one must wait. */
  mustWait(asked: Asked): boolean {
    if (this.#underWay.size >= MAX_CALLS) return true;
    if (this.#answersBytes === 0 || asked.kind === "invalid") return false;
    const more = this.#answerBytes(asked.method, asked.params);
    return more > 0 && this.#answersBytes + more > MAX_ANSWERS_BYTES;
  }

  /** Whether it was answered at once. */
  begin(asked: Asked, answered: Answered): boolean {
    const before = this.#underWay.size;
    if (asked.kind === "invalid") answered(asked.answer);
    else if (asked.kind === "call") this.#run(asked, asked.id, answered);
    else this.#run(asked, null, () => answered(null));
    return this.#underWay.size === before;
  }

  /** Nobody waits for them any more. */
  abort(): void {
    for (const call of this.#underWay) call.abort();
  }

  #run({ method, params, correlationId }: Exclude<Asked, { kind: "invalid" }>, id: Id, answered: Answered): void {
    if (method === CANCEL) {
      this.#cancel((params as { id?: unknown } | null | undefined)?.id);
      return answered(resultOf(id, null));
    }
    const call = new UnderWay(id, correlationId, this.#listener);
    let result: unknown;
    try {
      result = this.#methods.call(method, params, call);
    } catch (error) {
      return answered(this.#refused(id, method, error));
    }
    if (!(result instanceof Promise)) return answered(resultOf(id, result));
    const bytes = this.#answerBytes(method, params);
    this.#answersBytes += bytes;
    void this.#settle(call, method, result, (answer) => {
      this.#answersBytes -= bytes;
      answered(answer);
    });
  }

  #answerBytes(method: string, params: unknown): number {
    return this.#methods.answerBytes?.(method, params) ?? 0;
  }

  async #settle(call: UnderWay, method: string, result: Promise<unknown>, answered: Answered): Promise<void> {
    this.#underWay.add(call);
    let answer: object;
    try {
      answer = resultOf(call.id, await result);
    } catch (error) {
      answer = this.#refused(call.id, method, error);
    }
    this.#underWay.delete(call);
    answered(answer);
  }

  #refused(id: Id, method: string, error: unknown): object {
    const known = error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error));
    return this.#methods.knows(method) ? errorOf(id, known) : errorOf(id, known, JSONRPC_ERRORS.method);
  }

  #cancel(id: unknown): void {
    for (const call of this.#underWay) if (call.id !== null && call.id === id) call.abort();
  }
}
