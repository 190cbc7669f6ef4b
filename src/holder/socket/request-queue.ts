/**
 * Answers the requests of one connection in order, even when an answer takes time (terminal modes
 * that only the emulator knows).
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { encodeJsonFrame, FRAME } from "../../protocol/wire/frames.ts";
import { type ControlTarget, handleRequest } from "./control.ts";
import type { SendBuffer } from "./send-buffer.ts";

export interface ControlRequest {
  id: number;
  method: string;
  params: Record<string, unknown>;
}

/** Limit for requests that a client sends without reading answers. */
const MAX_WAITING = 1024;

export class RequestQueue {
  readonly #target: ControlTarget;
  readonly #sendBuffer: SendBuffer;
  readonly #waiting: ControlRequest[] = [];
  #isBusy = false;
  #isOver = false;

  constructor(target: ControlTarget, sendBuffer: SendBuffer) {
    this.#target = target;
    this.#sendBuffer = sendBuffer;
  }

  get isPending(): boolean {
    return !this.#isOver && (this.#isBusy || this.#waiting.length > 0);
  }

  /** False when too many requests wait. */
  take(request: ControlRequest): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(request);
    this.#next();
    return true;
  }

  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  #next(): void {
    while (!this.#isBusy && !this.#isOver) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#answer(next);
    }
  }

  #answer({ id, method, params }: ControlRequest): void {
    try {
      const result = handleRequest(this.#target, method, params);
      if (result instanceof Promise) void this.#answerLater(id, result);
      else this.#sendResult(id, result);
    } catch (error) {
      this.#sendError(id, error);
    }
  }

  async #answerLater(id: number, result: Promise<Record<string, unknown>>): Promise<void> {
    this.#isBusy = true;
    try {
      this.#sendResult(id, await result);
    } catch (error) {
      this.#sendError(id, error);
    }
    this.#isBusy = false;
    this.#next();
  }

  #sendResult(id: number, result: Record<string, unknown>): void {
    if (!this.#isOver) this.#sendBuffer.send(encodeJsonFrame(FRAME.result, { id, result }));
  }

  #sendError(id: number, error: unknown): void {
    if (!this.#isOver) this.#sendBuffer.send(errorFrame(error, { id }));
  }
}

/** An ERROR frame, with the id of its request. */
export function errorFrame(error: unknown, about: { id?: number } = {}): Uint8Array {
  const { code, message, hint } =
    error instanceof HoltError
      ? error
      : new HoltError("EINTERNAL", error instanceof Error ? error.message : String(error));
  return encodeJsonFrame(FRAME.error, { ...about, code, message, ...(hint === null ? {} : { hint }) });
}
