/**
 * Answers that have been given before, but for their id, as the bytes that are sent: `health.info`'s, asked for by thirty who look after us. They stand one behind the other in memory that is used again
 * as soon as all have been written, and so is where the processor has it; as texts each would be a new piece of memory.
 */
import { bytesOf } from "../protocol/bytes.ts";
import { lastingRest } from "../surfaces/jsonrpc/messages.ts";
import { HEAD } from "../surfaces/jsonrpc/plain-call.ts";

const ROOM_BYTES = 64 * 1024;
const BEFORE_ID = bytesOf(HEAD);
const MOST_DIGITS = 16;
const ZERO = 48;

export class LastingAnswers {
  readonly bytes = new Uint8Array(ROOM_BYTES);
  /** Where the last one ends. */
  end = 0;
  /** Who has not written theirs. */
  #users = 0;
  #known: { result: object | null; tail: Uint8Array } = { result: null, tail: new Uint8Array(0) };

  /** Whether there is room for it behind the last one. The id is a natural number, the result one that lasts. */
  put(id: number, result: object): boolean {
    if (this.#known.result !== result) this.#known = { result, tail: bytesOf(`${lastingRest(result)}\n`) };
    const { tail } = this.#known;
    if (this.end + BEFORE_ID.length + MOST_DIGITS + tail.length > ROOM_BYTES) return false;
    this.bytes.set(BEFORE_ID, this.end);
    const at = this.#putNumber(id, this.end + BEFORE_ID.length);
    this.bytes.set(tail, at);
    this.end = at + tail.length;
    return true;
  }

  take(): void {
    this.#users++;
  }

  /** What somebody had put is not looked at any more. */
  giveBack(): void {
    if (--this.#users === 0) this.end = 0;
  }

  /** Where it ends. */
  #putNumber(number: number, at: number): number {
    let digits = 1;
    for (let power = 10; number >= power; power *= 10) digits++;
    for (let i = at + digits - 1, rest = number; i >= at; i--) {
      const tens = Math.floor(rest / 10);
      this.bytes[i] = ZERO + (rest - tens * 10);
      rest = tens;
    }
    return at + digits;
  }
}
