/**
 * The answers of a batch, in the order of its calls. They are sent as one, so all of them wait for the last: past so many bytes, what is left of the batch is
 * not carried out, and says so.
 */
import { HoltError } from "../../protocol/errors.ts";
import type { Answered } from "./calls.ts";
import { type Asked, errorOf } from "./messages.ts";

const MAX_LENGTH = 16 * 1024 * 1024;

export class BatchAnswers {
  readonly #texts: (string | null)[];
  readonly #over: (text: string | null) => void;
  #left: number;
  #length = 0;

  /** Told the whole answer; null where there is nothing to say. */
  constructor(calls: number, over: (text: string | null) => void) {
    this.#texts = Array.from({ length: calls }, () => null);
    this.#left = calls;
    this.#over = over;
  }

  /** Of the i-th of its calls. */
  answered(i: number, asked: Asked): Answered {
    return (answer) => {
      const text = answer === null ? null : this.#fitting(asked, JSON.stringify(answer));
      this.#texts[i] = text;
      this.#length += text?.length ?? 0;
      if (--this.#left > 0) return;
      const told = this.#texts.filter((each) => each !== null);
      this.#over(told.length === 0 ? null : `[${told.join(",")}]`);
    };
  }

  /** What a call that has not begun is answered with, once there is no room for its answer. */
  refusal(asked: Asked): object | null {
    if (this.#length < MAX_LENGTH || asked.kind !== "call") return null;
    return errorOf(
      asked.id,
      new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
        hint: "this call was not carried out: ask for less at a time",
      }),
    );
  }

  #fitting(asked: Asked, text: string): string {
    if (this.#length + text.length <= MAX_LENGTH || asked.kind !== "call") return text;
    this.#length = Math.max(this.#length, MAX_LENGTH); // whatever comes after it is refused
    return JSON.stringify(
      errorOf(
        asked.id,
        new HoltError("ERLIMIT", `the answers to this batch are longer than ${MAX_LENGTH} bytes`, {
          hint: "this call was carried out, and its answer is left out: ask for less at a time",
        }),
      ),
    );
  }
}
