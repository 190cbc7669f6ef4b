/**
 * Collects the answers of a batch in the order of its calls. They are sent as one message, so all
 * wait for the last one. Past 16 MiB the remaining calls are not carried out and answered with an
 * error.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnswerCallback } from "./calls.ts";
import { type RpcRequest, errorOf } from "./messages.ts";

const MAX_LENGTH = 16 * 1024 * 1024;

export interface BatchListener {
  /** Receives the whole answer; null when there is nothing to send. */
  done(text: string | null): void;
  /** Adds a correlation id to an error that belongs to no call. */
  withCorrelationId(answer: object): object;
}

export class BatchAnswers {
  readonly #texts: (string | null)[];
  readonly #listener: BatchListener;
  #left: number;
  #length = 0;

  constructor(calls: number, listener: BatchListener) {
    this.#texts = Array.from({ length: calls }, () => null);
    this.#left = calls;
    this.#listener = listener;
  }

  /** The callback for the answer of the i-th call. */
  callback(i: number, request: RpcRequest): AnswerCallback {
    return (answer) => {
      const text = answer === null ? null : this.#fitted(request, this.#text(answer));
      this.#texts[i] = text;
      this.#length += text?.length ?? 0;
      if (--this.#left > 0) return;
      const texts = this.#texts.filter((each) => each !== null);
      this.#listener.done(texts.length === 0 ? null : `[${texts.join(",")}]`);
    };
  }

  /** The error for a call that has not begun when the limit is reached; null below it. */
  refusal(request: RpcRequest): object | null {
    if (this.#length < MAX_LENGTH || request.kind !== "call") return null;
    return errorOf(
      request.id,
      new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
        hint: "this call was not carried out; send smaller batches",
      }),
    );
  }

  #text(answer: object): string {
    return JSON.stringify(this.#listener.withCorrelationId(answer));
  }

  #fitted(request: RpcRequest, text: string): string {
    if (this.#length + text.length <= MAX_LENGTH || request.kind !== "call") return text;
    this.#length = Math.max(this.#length, MAX_LENGTH); // later calls are refused
    return this.#text(
      errorOf(
        request.id,
        new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
          hint: "this call was carried out, but its answer is omitted; send smaller batches",
        }),
      ),
    );
  }
}
