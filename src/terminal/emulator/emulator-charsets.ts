/** Finds the escape sequences that restore the emulator's character sets. */
import type { Charset, Core } from "./emulator-core.ts";

const DESIGNATORS = "0A4CRQKYEZH=".split("");
const SLOTS = "()*+";
const SHIFTS = ["\x0f", "\x0e", "\x1bn", "\x1bo"];

/**
 * xterm keeps character tables, not their names: each name is tried until one selects the table.
 */
function designatorOf(core: Core, charset: Charset): string {
  if (charset === undefined) return "B";
  const service = core._charsetService;
  const inUse = service.charset;
  const second = service._charsets[2];
  const found = DESIGNATORS.find((name) => {
    core._inputHandler.selectCharset(`*${name}`);
    return service._charsets[2] === charset;
  });
  service._charsets[2] = second;
  service.charset = inUse;
  return found ?? "B";
}

export function designate(core: Core, slot: number, charset: Charset): string {
  return `\x1b${SLOTS[slot]}${designatorOf(core, charset)}`;
}

/** Assumes that all sets are ASCII before. */
export function charsetSequences(core: Core): string {
  const { _charsets, glevel } = core._charsetService;
  const sets = _charsets.map((charset, slot) => (charset === undefined ? "" : designate(core, slot, charset)));
  return sets.join("") + (glevel === 0 ? "" : SHIFTS[glevel]);
}
