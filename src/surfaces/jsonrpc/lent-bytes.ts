/** What was read and is not looked at yet. A chunk is lent by whoever read it; what is left of it when it must be given back is copied once. */
import { joined } from "../../protocol/bytes.ts";

const NOTHING = new Uint8Array(0);

export class LentBytes {
  bytes: Uint8Array = NOTHING;
  /** Where the next look begins. */
  at = 0;

  feed(chunk: Uint8Array): void {
    this.bytes = this.at < this.bytes.length ? joined([this.bytes.subarray(this.at), chunk]) : chunk;
    this.at = 0;
  }

  get isSpent(): boolean {
    return this.at >= this.bytes.length;
  }

  keep(): void {
    this.bytes = this.at < this.bytes.length ? this.bytes.slice(this.at) : NOTHING;
    this.at = 0;
  }

  all(): Uint8Array {
    this.at = this.bytes.length;
    return this.bytes;
  }

  /** Up to there, which is looked at next. */
  take(end: number): Uint8Array {
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}
