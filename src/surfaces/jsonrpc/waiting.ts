/**
 * The calls of one connection that have not begun, in their order. Behind as many as may be under way the connection is read on, since what comes next may be that one of them is
 * given up: so what waits is bounded here, by the bytes that it came in, and not by the kernel's buffer.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { Answered } from "./calls.ts";
import { type Asked, errorOf, type Id } from "./messages.ts";

const MAX_BYTES = 8 * 1024 * 1024;

/** One call of a message. */
export interface Task {
  readonly asked: Asked;
  readonly answered: Answered;
  /** Of its message. */
  readonly bytes: number;
  /** Looked at before it begins: what it is answered with instead. */
  readonly refusal?: () => object | null;
}

export class Waiting {
  #tasks: (Task | null)[] = [];
  #first = 0;
  #bytes = 0;
  /** Where the last of each id stands: two of one id cannot be told apart by whoever gives one up. */
  readonly #places = new Map<Id, number>();

  hasRoomFor(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= MAX_BYTES;
  }

  push(task: Task): void {
    if (task.asked.kind === "call") this.#places.set(task.asked.id, this.#tasks.length);
    this.#tasks.push(task);
    this.#bytes += task.bytes;
  }

  next(): Task | null {
    if (this.#tasks.length === 0) return null;
    while (this.#first < this.#tasks.length && this.#tasks[this.#first] === null) this.#first++;
    return this.#tasks[this.#first] ?? this.#empty();
  }

  /** The one that is next. */
  take(): void {
    const task = this.next();
    if (task === null) return;
    if (task.asked.kind === "call" && this.#places.get(task.asked.id) === this.#first)
      this.#places.delete(task.asked.id);
    this.#remove(this.#first, task);
  }

  /** Null where none of that id waits. */
  giveUp(id: Id): Task | null {
    const place = this.#places.get(id);
    const task = place === undefined ? null : this.#tasks[place];
    if (place === undefined || task === null || task === undefined) return null;
    this.#places.delete(id);
    this.#remove(place, task);
    return task;
  }

  clear(): void {
    this.#empty();
  }

  #remove(place: number, task: Task): void {
    this.#tasks[place] = null;
    this.#bytes -= task.bytes;
  }

  #empty(): null {
    this.#tasks = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#places.clear();
    return null;
  }
}

/** What one is answered with that finds no room; null where nobody is to be told. */
export function tooMany(asked: Asked): object | null {
  if (asked.kind === "invalid") return asked.answer;
  if (asked.kind === "notification") return null;
  return errorOf(
    asked.id,
    new HoltError("ERLIMIT", `${MAX_BYTES} bytes of calls wait on this connection`, {
      hint: "this one was not carried out: read the answers to those before it first",
    }),
  );
}
