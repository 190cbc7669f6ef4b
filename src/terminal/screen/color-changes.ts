/**
 * Tracks the colours of the user's terminal that a session sets: only these are reset, because the
 * user may have chosen the others.
 */
import { bytesOf, joined, startsWith } from "../../protocol/types/bytes.ts";
import { oscHead } from "../parser/osc.ts";
import { RESET, RESET_COLORS } from "../emulator/replay-sequences.ts";
import type { Sequence } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";

const PALETTE = 4;
/**
 * OSC 10 to 12: foreground, background, cursor. Several colours in one sequence apply to its number
 * and the following ones.
 */
const [FIRST, LAST] = [10, 12];
/** Added to the OSC number that sets a colour: the number that resets it. */
const RESET_OFFSET = 100;
const QUESTION = "?";
const COLORS_AT = RESET.indexOf(RESET_COLORS);
const BEFORE_COLORS = bytesOf(RESET.slice(0, COLORS_AT + RESET_COLORS.length));

export class ColorChanges {
  readonly #scanner = new SequenceScanner({ sequence: (sequence) => this.#ended(sequence) });
  readonly #set = new Set<number>();
  #at = 0;

  /** Sequences that reset the colours set so far. */
  get resets(): string {
    return [...this.#set].map((number) => `\x1b]${RESET_OFFSET + number}\x1b\\`).join("");
  }

  /**
   * Returns the bytes for the terminal: a replay's reset of all colours becomes a reset of the
   * session's own.
   */
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
    // Resetting a part of the palette leaves the rest set.
    const isWhole = head.number !== RESET_OFFSET + PALETTE || specs.every((spec) => spec === "");
    if (isWhole) this.#set.delete(head.number - RESET_OFFSET);
  }
}
