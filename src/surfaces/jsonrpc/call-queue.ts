/**
 * The calls of one connection that have not begun, in their order. Behind as many as may be under way the connection is read on, since what comes next may be that one of them is
 * given up: so what waits is bounded here, by the bytes that it came in, and not by the kernel's buffer.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnswerCallback } from "./calls.ts";
import { type RpcRequest, errorOf, type Id } from "./messages.ts";

const MAX_BYTES = 8 * 1024 * 1024;

/** One call of a message. */
export interface QueuedCall {
  readonly request: RpcRequest;
  readonly onAnswer: AnswerCallback;
  /** Of its message. */
  readonly bytes: number;
  /** Looked at before it begins: what it is answered with instead. */
  readonly refusal?: () => object | null;
}

export class CallQueue {
  #calls: (QueuedCall | null)[] = [];
  #first = 0;
  #bytes = 0;
  /** Where the last of each id stands: two of one id cannot be told apart by whoever gives one up. */
  readonly #indexById = new Map<Id, number>();

  hasRoomFor(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= MAX_BYTES;
  }

  push(task: QueuedCall): void {
    if (task.request.kind === "call") this.#indexById.set(task.request.id, this.#calls.length);
    this.#calls.push(task);
    this.#bytes += task.bytes;
  }

  next(): QueuedCall | null {
    if (this.#calls.length === 0) return null;
    while (this.#first < this.#calls.length && this.#calls[this.#first] === null) this.#first++;
    return this.#calls[this.#first] ?? this.#empty();
  }

  /** The one that is next. */
  take(): void {
    const task = this.next();
    if (task === null) return;
    if (task.request.kind === "call" && this.#indexById.get(task.request.id) === this.#first)
      this.#indexById.delete(task.request.id);
    this.#remove(this.#first, task);
  }

  /** Null where none of that id waits. */
  cancel(id: Id): QueuedCall | null {
    const place = this.#indexById.get(id);
    const task = place === undefined ? null : this.#calls[place];
    if (place === undefined || task === null || task === undefined) return null;
    this.#indexById.delete(id);
    this.#remove(place, task);
    return task;
  }

  clear(): void {
    this.#empty();
  }

  #remove(place: number, task: QueuedCall): void {
    this.#calls[place] = null;
    this.#bytes -= task.bytes;
  }

  #empty(): null {
    this.#calls = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#indexById.clear();
    return null;
  }
}

/** What one is answered with that finds no room; null where nobody is to be told. */
export function queueFull(request: RpcRequest): object | null {
  if (request.kind === "invalid") return request.answer;
  if (request.kind === "notification") return null;
  return errorOf(
    request.id,
    new HoltError("ERLIMIT", `${MAX_BYTES} bytes of calls wait on this connection`, {
      hint: "this one was not carried out: read the answers to those before it first",
    }),
  );
}
