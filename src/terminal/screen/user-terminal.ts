/** A person's terminal that is lent to a session: nothing they had on it is lost, and nothing of the session's settings stays. */

interface Size {
  cols: number;
  rows: number;
}

const CSI = "\x1b[";

/** The person's own title is put aside, where a terminal can. */
const PUSH_TITLE = `${CSI}22;2t`;
const POP_TITLE = `${CSI}23;2t`;

/** What was on the screen goes up into the scrollback. */
export function enterScreen({ rows }: Size): string {
  return `${PUSH_TITLE}${CSI}${rows};1H${"\n".repeat(rows)}${CSI}H`;
}

/** Modes that a program may have left on, switched off one by one: a full reset would also clear the screen. */
const MODES_OFF = [1, 5, 6, 9, 45, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031]
  .map((mode) => `${CSI}?${mode}l`)
  .join("");

/** Margins, insert, origin, colours, character sets; and where the cursor was saved, as some terminals have it. */
const SOFT_RESET = `${CSI}!p`;

/** Everything else but the screen's contents. */
const RESET_TERMINAL = [
  `${CSI}r`, // margins again: not every terminal knows the one above
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
  /** Sequences that reset the colours that the session has set (ColorChanges). */
  colors: string;
}

/** The cursor is left on a line of its own, below where it stood: resets move it, so it is saved around them. */
export function leaveScreen({ alternate, colors }: LeaveOptions): string {
  // Also where we know of none: terminals differ on what a full reset by the program leaves on. Some (tmux) then put the cursor where it stood before the last one there was.
  const back = alternate ? `${CSI}?1049l` : `\x1b7${CSI}?1049l\x1b8`;
  return `${back}${SOFT_RESET}\x1b7${RESET_TERMINAL}${colors}\x1b8${CSI}m\x1b(B\x0f${POP_TITLE}\r\n`;
}
