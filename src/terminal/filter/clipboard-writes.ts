/**
 * Extracts clipboard writes from a filtered stream (viewer-filter.ts), for a terminal that shows a
 * painted screen instead of the stream.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { oscHead } from "../parser/osc.ts";
import type { Sequence } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";

const CLIPBOARD = 52;
/** More than terminals accept. */
const KEEP = 256 * 1024;

export class ClipboardWrites {
  readonly #scanner = new SequenceScanner({ sequence: (sequence) => this.#ended(sequence) }, { keep: KEEP });
  #at = 0;
  #found: Uint8Array[] = [];

  /** Returns the clipboard writes that end in these bytes. */
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
