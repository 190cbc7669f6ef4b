/** The calls of one connection: begun, given up, and turned into answers. One that is answered at once was never under way. */
import { HoltError, JSONRPC_ERRORS } from "../../protocol/errors.ts";
import { type Asking, type Listener, UnderWay } from "./asking.ts";
import { type Asked, errorOf, type Id, resultOf } from "./messages.ts";

const MAX_CALLS = 64;
const CANCEL = "$/cancelRequest";

export interface Methods {
  knows(method: string): boolean;
  /** The result, or a promise of it: what is there at once need not wait for anything. */
  call(method: string, params: unknown, from: Asking): unknown;
}

/** Where an answer goes: null where there is nothing to say. */
export type Answered = (answer: object | null) => void;

export class Calls {
  readonly #methods: Methods;
  readonly #listener: Listener;
  readonly #underWay = new Set<UnderWay>();

  constructor(methods: Methods, listener: Listener) {
    this.#methods = methods;
    this.#listener = listener;
  }

  /** With as many under way as may be, another one must wait; to give one up is always possible. */
  mustWait(asked: Asked): boolean {
    return this.#underWay.size >= MAX_CALLS && !(asked.kind !== "invalid" && asked.method === CANCEL);
  }

  /** Whether it was answered at once. */
  begin(asked: Asked, answered: Answered): boolean {
    const before = this.#underWay.size;
    if (asked.kind === "invalid") answered(asked.answer);
    else if (asked.kind === "call") this.#run(asked.id, asked.method, asked.params, answered);
    else this.#run(null, asked.method, asked.params, () => answered(null));
    return this.#underWay.size === before;
  }

  /** Nobody waits for them any more. */
  abort(): void {
    for (const call of this.#underWay) call.abort();
  }

  #run(id: Id, method: string, params: unknown, answered: Answered): void {
    if (method === CANCEL) {
      this.#cancel(params);
      return answered(resultOf(id, null));
    }
    const call = new UnderWay(id, this.#listener);
    let result: unknown;
    try {
      result = this.#methods.call(method, params, call);
    } catch (error) {
      return answered(this.#refused(id, method, error));
    }
    if (result instanceof Promise) void this.#settle(call, method, result, answered);
    else answered(resultOf(id, result));
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

  #cancel(params: unknown): void {
    const id = (params as { id?: unknown } | null | undefined)?.id;
    for (const call of this.#underWay) if (call.id !== null && call.id === id) call.abort();
  }
}
