/** Colours of a person's terminal that a session has set: only these are reset, as the person may have chosen the others. */
import { bytesOf, joined, startsWith } from "../../protocol/types/bytes.ts";
import { oscHead } from "../parser/osc.ts";
import { RESET, RESET_COLORS } from "../emulator/replay-sequences.ts";
import type { Sequence } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";

const PALETTE = 4;
/** Foreground, background and cursor; several colours in one go are for one number and the ones after it. */
const [FIRST, LAST] = [10, 12];
/** From what sets a colour to what resets it. */
const RESETS = 100;
const QUESTION = "?";
const COLORS_AT = RESET.indexOf(RESET_COLORS);
const BEFORE_COLORS = bytesOf(RESET.slice(0, COLORS_AT + RESET_COLORS.length));

export class ColorChanges {
  readonly #scanner = new SequenceScanner({ sequence: (sequence) => this.#ended(sequence) });
  readonly #set = new Set<number>();
  #at = 0;

  /** For the colours that are set. */
  get resets(): string {
    return [...this.#set].map((number) => `\x1b]${RESETS + number}\x1b\\`).join("");
  }

  /** The bytes for the terminal: a replay's reset of all colours becomes a reset of the session's own. */
  pass(bytes: Uint8Array): Uint8Array {
    const passed = startsWith(bytes, BEFORE_COLORS)
      ? joined([bytes.subarray(0, COLORS_AT), bytesOf(this.resets), bytes.subarray(BEFORE_COLORS.length)])
      : bytes;
    this.#scanner.push(this.#at, passed);
    this.#at += passed.length;
    return passed;
  }

  #ended(sequence: Sequence): void {
    if (sequence.kind !== "osc" || !sequence.complete) return;
    const head = oscHead(sequence);
    if (head === null || head.number === null) return;
    const specs = sequence.text(head.text).split(";");
    if (head.number === PALETTE && specs.some((spec, i) => i % 2 === 1 && spec !== QUESTION)) this.#set.add(PALETTE);
    if (head.number >= FIRST && head.number <= LAST)
      for (const [place, spec] of specs.slice(0, LAST - head.number + 1).entries())
        if (spec !== QUESTION) this.#set.add(head.number + place);
    // A part of the palette that is reset leaves the rest.
    const isWhole = head.number !== RESETS + PALETTE || specs.every((spec) => spec === "");
    if (isWhole) this.#set.delete(head.number - RESETS);
  }
}
