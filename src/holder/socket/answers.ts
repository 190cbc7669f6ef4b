/**
 * Requests of one connection, answered one after the other: what was asked first is done first, also where an answer takes a while (the modes of
 * a terminal that only its emulator knows).
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { encodeJsonFrame, FRAME } from "../../protocol/wire/frames.ts";
import { type Asked, answer } from "./control.ts";
import type { Outbox } from "./outbox.ts";

export interface Question {
  id: number;
  method: string;
  params: Record<string, unknown>;
}

/** Whoever asks on without waiting for answers. */
const MAX_WAITING = 1024;

export class Answers {
  readonly #asked: Asked;
  readonly #outbox: Outbox;
  readonly #waiting: Question[] = [];
  #isBusy = false;
  #isOver = false;

  constructor(asked: Asked, outbox: Outbox) {
    this.#asked = asked;
    this.#outbox = outbox;
  }

  get areOwed(): boolean {
    return !this.#isOver && (this.#isBusy || this.#waiting.length > 0);
  }

  /** False when too many wait already. */
  take(question: Question): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(question);
    this.#goOn();
    return true;
  }

  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  #goOn(): void {
    while (!this.#isBusy && !this.#isOver) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#answer(next);
    }
  }

  #answer({ id, method, params }: Question): void {
    try {
      const result = answer(this.#asked, method, params);
      if (result instanceof Promise) void this.#later(id, result);
      else this.#result(id, result);
    } catch (error) {
      this.#failure(id, error);
    }
  }

  async #later(id: number, result: Promise<Record<string, unknown>>): Promise<void> {
    this.#isBusy = true;
    try {
      this.#result(id, await result);
    } catch (error) {
      this.#failure(id, error);
    }
    this.#isBusy = false;
    this.#goOn();
  }

  #result(id: number, result: Record<string, unknown>): void {
    if (!this.#isOver) this.#outbox.send(encodeJsonFrame(FRAME.result, { id, result }));
  }

  #failure(id: number, error: unknown): void {
    if (!this.#isOver) this.#outbox.send(errorFrame(error, { id }));
  }
}

/** ERROR, with the id of the request that it answers. */
export function errorFrame(error: unknown, about: { id?: number } = {}): Uint8Array {
  const { code, message, hint } =
    error instanceof HoltError
      ? error
      : new HoltError("EINTERNAL", error instanceof Error ? error.message : String(error));
  return encodeJsonFrame(FRAME.error, { ...about, code, message, ...(hint === null ? {} : { hint }) });
}
