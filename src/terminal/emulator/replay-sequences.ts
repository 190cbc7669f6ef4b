/** Escape sequences at a replay's start (resets) and end (modes). */
import { bytesOf, joined, startsWith } from "../../protocol/types/bytes.ts";
import type { ScreenModes } from "../../protocol/types/modes.ts";
import type { Core } from "./emulator-core.ts";
import type { EmulatorState } from "./emulator-state.ts";

const off = (...modes: number[]): string => modes.map((mode) => `\x1b[?${mode}l`).join("");

/** Resets all colours that a program can set. */
export const RESET_COLORS = "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\";

/**
 * Resets mode by mode: a full reset (RIS) clears the user's scrollback, and makes some terminals
 * flash. ST first ends an open string. Keyboard modes, which a terminal may misread, come before
 * SGR and cursor.
 */
export const RESET = [
  "\x1b\\",
  off(1049, 2026, 1003, 1002, 1000, 9, 1006, 1005, 1015, 1016, 1004, 2004, 1, 5, 6, 12, 25, 45),
  "\x1b[!p\x1b[?25l\x1b[=0;1u\x1b[>4;0m",
  "\x1b>\x1b[4l\x1b[20l\x1b[?7h\x1b[r",
  "\x1b(B\x1b)B\x1b*B\x1b+B\x0f",
  '\x1b]8;;\x1b\\\x1b[0"q\x1b[m\x1b[0 q',
  RESET_COLORS,
  "\x1b[H\x1b[2J",
].join("");

/**
 * Rewrites a replay to erase line by line, for a terminal that shows only this replay: many
 * terminals move a screen erased as a whole to their scrollback, and would show it twice.
 */
export function erasedInPlace(replay: Uint8Array, { rows }: { rows: number }): Uint8Array {
  const reset = bytesOf(RESET);
  if (!startsWith(replay, reset)) return replay;
  const whole = "\x1b[2J".length;
  const erased = bytesOf(`${"\x1b[2K\x1b[B".repeat(rows)}\x1b[H`);
  return joined([replay.subarray(0, reset.length - whole), erased, replay.subarray(reset.length)]);
}

const MOUSE: Record<Core["coreMouseService"]["activeProtocol"], string> = {
  NONE: "",
  X10: "\x1b[?9h",
  VT200: "\x1b[?1000h",
  DRAG: "\x1b[?1002h",
  ANY: "\x1b[?1003h",
};

const ENCODING: Record<ScreenModes["mouse_encoding"], string> = {
  default: "",
  utf8: "\x1b[?1005h",
  sgr: "\x1b[?1006h",
  urxvt: "\x1b[?1015h",
  sgr_pixels: "\x1b[?1016h",
};

/**
 * Sequences that restore modes; none moves the cursor. Synchronised output stays off: only the
 * program would end it.
 */
export function modeSequences(core: Core, state: EmulatorState): string {
  const { decPrivateModes: dec, modes } = core.coreService;
  const { options } = core.optionsService;
  return [
    dec.applicationCursorKeys && "\x1b[?1h",
    dec.applicationKeypad && "\x1b=",
    dec.bracketedPasteMode && "\x1b[?2004h",
    dec.sendFocus && "\x1b[?1004h",
    dec.reverseWraparound && "\x1b[?45h",
    !dec.wraparound && "\x1b[?7l",
    modes.insertMode && "\x1b[4h",
    options.convertEol && "\x1b[20h",
    state.reverseVideo && "\x1b[?5h",
    state.modifyOtherKeys > 0 && `\x1b[>4;${state.modifyOtherKeys}m`,
    MOUSE[core.coreMouseService.activeProtocol],
    ENCODING[state.mouseEncoding],
  ]
    .filter((sequence) => sequence !== false)
    .join("");
}

const SHAPES = { block: 2, underline: 4, bar: 6 };

export function cursorSequences(core: Core): string {
  const { decPrivateModes: dec, isCursorHidden } = core.coreService;
  const blink = core.optionsService.options.cursorBlink ? "\x1b[?12h" : "";
  const shape = cursorShapeNumber(dec);
  return `${blink}${shape === 0 ? "" : `\x1b[${shape} q`}\x1b[?25${isCursorHidden ? "l" : "h"}`;
}

/** The parameter of DECSCUSR. */
export function cursorShapeNumber(dec: Core["coreService"]["decPrivateModes"]): number {
  if (dec.cursorStyle !== undefined) return SHAPES[dec.cursorStyle] - (dec.cursorBlink ? 1 : 0);
  return dec.cursorBlink === undefined ? 0 : dec.cursorBlink ? 7 : 8;
}
