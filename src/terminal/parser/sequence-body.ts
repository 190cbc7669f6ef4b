/**
 * Collects the body of the sequence being scanned: a range of the chunk while it lies in one chunk,
 * a copy up to a limit once it continues in the next.
 */
import type { Sequence } from "./sequence.ts";

const FIRST_SIZE = 256;
const LEAD = Uint8Array.of(0xc2);

export class SequenceBody {
  readonly #limit: number;
  #chunk: Uint8Array = new Uint8Array(0);
  #from = 0;
  /** End of the body within this chunk. */
  to = 0;
  #kept: Uint8Array = new Uint8Array(0);
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  begin(from: number): void {
    this.#from = from;
    this.to = from;
    this.#length = 0;
    this.#truncated = false;
  }

  /** Starts the next chunk. The part in the last chunk was kept. */
  enter(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#from = 0;
    this.to = 0;
  }

  keep(): void {
    this.#append(this.#chunk, this.#from, this.to);
    this.#from = this.to;
  }

  /** Adds the C2 byte that was held back because it might have begun a C1 control. */
  keepLead(): void {
    this.#append(LEAD, 0, 1);
  }

  fill(sequence: Sequence): void {
    if (this.#length > 0) {
      this.keep();
      sequence.bytes = this.#kept;
      sequence.from = 0;
      sequence.to = this.#length;
      sequence.truncated = this.#truncated;
      return;
    }
    sequence.bytes = this.#chunk;
    sequence.from = this.#from;
    sequence.to = Math.min(this.to, this.#from + this.#limit);
    sequence.truncated = this.to > sequence.to;
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    const taken = Math.min(to - from, this.#limit - this.#length);
    const length = this.#length + taken;
    if (length > this.#kept.length) {
      const larger = new Uint8Array(Math.min(this.#limit, Math.max(FIRST_SIZE, 2 * length)));
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(bytes.subarray(from, from + taken), this.#length);
    this.#length = length;
    if (taken < to - from) this.#truncated = true;
  }
}
