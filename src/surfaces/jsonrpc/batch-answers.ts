/**
 * The answers of a batch, in the order of its calls. They are sent as one, so all of them wait for the last: past so many bytes, what is left of the batch is
 * not carried out, and says so.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnswerCallback } from "./calls.ts";
import { type RpcRequest, errorOf } from "./messages.ts";

const MAX_LENGTH = 16 * 1024 * 1024;

export interface BatchListener {
  /** Told the whole answer; null where there is nothing to say. */
  done(text: string | null): void;
  /** An error that is no call's, with a correlation id. */
  withCorrelationId(answer: object): object;
}

export class BatchAnswers {
  readonly #texts: (string | null)[];
  readonly #listener: BatchListener;
  #left: number;
  #length = 0;

  constructor(calls: number, told: BatchListener) {
    this.#texts = Array.from({ length: calls }, () => null);
    this.#left = calls;
    this.#listener = told;
  }

  /** Of the i-th of its calls. */
  callback(i: number, request: RpcRequest): AnswerCallback {
    return (answer) => {
      const text = answer === null ? null : this.#fitted(request, this.#text(answer));
      this.#texts[i] = text;
      this.#length += text?.length ?? 0;
      if (--this.#left > 0) return;
      const told = this.#texts.filter((each) => each !== null);
      this.#listener.done(told.length === 0 ? null : `[${told.join(",")}]`);
    };
  }

  /** What a call that has not begun is answered with, once there is no room for its answer. */
  refusal(request: RpcRequest): object | null {
    if (this.#length < MAX_LENGTH || request.kind !== "call") return null;
    return errorOf(
      request.id,
      new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
        hint: "this call was not carried out: ask for less at a time",
      }),
    );
  }

  #text(answer: object): string {
    return JSON.stringify(this.#listener.withCorrelationId(answer));
  }

  #fitted(request: RpcRequest, text: string): string {
    if (this.#length + text.length <= MAX_LENGTH || request.kind !== "call") return text;
    this.#length = Math.max(this.#length, MAX_LENGTH); // whatever comes after it is refused
    return this.#text(
      errorOf(
        request.id,
        new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
          hint: "this call was carried out, and its answer is left out: ask for less at a time",
        }),
      ),
    );
  }
}
