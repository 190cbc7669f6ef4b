/**
 * The queue of calls that have not begun. The connection is read even when no call may begin,
 * because a later message may cancel one of them. So the queue is bounded here, by the bytes of its
 * messages, and not by the kernel's socket buffer.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnswerCallback } from "./calls.ts";
import { type RpcRequest, errorOf, type Id } from "./messages.ts";

const MAX_BYTES = 8 * 1024 * 1024;

/** One call, alone or of a batch. */
export interface QueuedCall {
  readonly request: RpcRequest;
  readonly onAnswer: AnswerCallback;
  /** The size of its message, or its share of a batch. */
  readonly bytes: number;
  /** Called before the call begins; an answer means that it is refused. */
  readonly refusal?: () => object | null;
}

export class CallQueue {
  #calls: (QueuedCall | null)[] = [];
  #first = 0;
  #bytes = 0;
  /**
   * The index of the last call with each id: calls with the same id cannot be told apart by a
   * cancel.
   */
  readonly #indexById = new Map<Id, number>();

  hasRoomFor(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= MAX_BYTES;
  }

  push(call: QueuedCall): void {
    if (call.request.kind === "call") this.#indexById.set(call.request.id, this.#calls.length);
    this.#calls.push(call);
    this.#bytes += call.bytes;
  }

  next(): QueuedCall | null {
    if (this.#calls.length === 0) return null;
    while (this.#first < this.#calls.length && this.#calls[this.#first] === null) this.#first++;
    return this.#calls[this.#first] ?? this.#empty();
  }

  /** Removes the next call. */
  take(): void {
    const call = this.next();
    if (call === null) return;
    if (call.request.kind === "call" && this.#indexById.get(call.request.id) === this.#first)
      this.#indexById.delete(call.request.id);
    this.#remove(this.#first, call);
  }

  /** Removes the call with this id; null when none is queued. */
  cancel(id: Id): QueuedCall | null {
    const index = this.#indexById.get(id);
    const call = index === undefined ? null : this.#calls[index];
    if (index === undefined || call === null || call === undefined) return null;
    this.#indexById.delete(id);
    this.#remove(index, call);
    return call;
  }

  clear(): void {
    this.#empty();
  }

  #remove(index: number, call: QueuedCall): void {
    this.#calls[index] = null;
    this.#bytes -= call.bytes;
  }

  #empty(): null {
    this.#calls = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#indexById.clear();
    return null;
  }
}

/** The answer to a call when the queue is full; null for a notification. */
export function queueFull(request: RpcRequest): object | null {
  if (request.kind === "invalid") return request.answer;
  if (request.kind === "notification") return null;
  return errorOf(
    request.id,
    new HoltError("ERLIMIT", `too many calls wait on this connection: ${MAX_BYTES} bytes`, {
      hint: "this call was not carried out; read the earlier answers first",
    }),
  );
}
