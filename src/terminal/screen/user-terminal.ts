/**
 * Sequences that prepare the user's terminal for an attach and restore it: its contents are kept,
 * and no setting of the session stays.
 */

interface Size {
  cols: number;
  rows: number;
}

const CSI = "\x1b[";

/** Saves and restores the user's title, in terminals that support it. */
const PUSH_TITLE = `${CSI}22;2t`;
const POP_TITLE = `${CSI}23;2t`;

/** Scrolls the screen's contents up into the scrollback. */
export function enterScreen({ rows }: Size): string {
  return `${PUSH_TITLE}${CSI}${rows};1H${"\n".repeat(rows)}${CSI}H`;
}

/**
 * Switches off modes that a program may have left on, one by one: a full reset would also clear the
 * screen.
 */
const MODES_OFF = [1, 5, 6, 9, 45, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031]
  .map((mode) => `${CSI}?${mode}l`)
  .join("");

/**
 * DECSTR: margins, insert, origin, colours, character sets; in some terminals also the saved
 * cursor.
 */
const SOFT_RESET = `${CSI}!p`;

/** Resets everything else except the screen's contents. */
const RESET_TERMINAL = [
  `${CSI}r`, // margins again: not every terminal supports DECSTR
  MODES_OFF,
  `${CSI}?7h${CSI}?25h`,
  `${CSI}4l${CSI}20l`,
  "\x1b>", // keypad
  "\x1b(B\x0f",
  `${CSI}0 q`, // cursor shape
  `${CSI}>4m`, // modifyOtherKeys
  `${CSI}=0u`, // kitty keyboard
  "\x1b]8;;\x1b\\",
  `${CSI}m`,
].join("");

export interface LeaveOptions {
  alternate: boolean;
  /** Sequences that reset the colours set by the session (ColorChanges). */
  colors: string;
}

/**
 * Leaves the cursor on a line of its own below its last position. Resets move it, so it is saved
 * around them.
 */
export function leaveScreen({ alternate, colors }: LeaveOptions): string {
  // Also without a known alternate screen: terminals differ on what a program's full reset leaves
  // on. Some (tmux) then move the cursor to where it was before the last alternate screen, so it is
  // saved.
  const leaveAlternate = alternate ? `${CSI}?1049l` : `\x1b7${CSI}?1049l\x1b8`;
  return `${leaveAlternate}${SOFT_RESET}\x1b7${RESET_TERMINAL}${colors}\x1b8${CSI}m\x1b(B\x0f${POP_TITLE}\r\n`;
}
