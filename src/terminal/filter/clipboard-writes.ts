/** Of a stream that a viewer may have as it is (viewer-filter.ts), what writes to the clipboard: for a terminal that is painted, and so has nothing else of it. */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { oscHead } from "../parser/osc.ts";
import type { Sequence } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";

const CLIPBOARD = 52;
/** More than terminals take. */
const KEEP = 256 * 1024;

export class ClipboardWrites {
  readonly #scanner = new SequenceScanner({ sequence: (sequence) => this.#ended(sequence) }, { keep: KEEP });
  #at = 0;
  #found: Uint8Array[] = [];

  /** Those that end in these bytes. */
  push(bytes: Uint8Array): Uint8Array {
    this.#found = [];
    this.#scanner.push(this.#at, bytes);
    this.#at += bytes.length;
    return joined(this.#found);
  }

  #ended(sequence: Sequence): void {
    if (sequence.kind !== "osc" || !sequence.complete || sequence.truncated) return;
    const head = oscHead(sequence);
    if (head?.number === CLIPBOARD) this.#found.push(bytesOf(`\x1b]${CLIPBOARD};${sequence.text(head.text)}\x1b\\`));
  }
}
