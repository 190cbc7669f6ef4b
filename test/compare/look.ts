/** What a terminal shows at one moment, as tmux knows it: every cell with its attributes, scrollback included, and the modes. */

/** Each a line of `state`, so that a step can wait for it (`cursor 3,5`). */
const STATE = [
  "size #{pane_width}x#{pane_height}",
  "title #{pane_title}",
  "cursor #{cursor_x},#{cursor_y}",
  "cursor shown #{cursor_flag}",
  "alternate screen #{alternate_on}, saved cursor #{alternate_saved_x},#{alternate_saved_y}",
  "keypad #{keypad_flag}, cursor keys #{keypad_cursor_flag}",
  "insert #{insert_flag}, origin #{origin_flag}, wrap #{wrap_flag}",
  "scroll region #{scroll_region_upper} to #{scroll_region_lower}",
  "tabs #{pane_tabs}",
  "mouse any #{mouse_any_flag}, standard #{mouse_standard_flag}, button #{mouse_button_flag}, all #{mouse_all_flag}",
  "mouse sgr #{mouse_sgr_flag}, utf8 #{mouse_utf8_flag}",
  "scrollback #{history_size}",
] as const;

export const LOOK_FORMAT = STATE.join("\n");

export interface Look {
  state: string[];
  /** From the top of the scrollback, with escape sequences for what cells look like. */
  lines: string[];
  /** The visible rows as text, without the blanks behind it. */
  screen: string;
}

export function parseLook(captured: string): Look {
  const all = captured.split("\n").slice(0, -1);
  const state = all.slice(0, STATE.length);
  const lines = all.slice(STATE.length);
  const rows = Number(/x(\d+)$/.exec(state[0] ?? "")?.[1]);
  const visible = lines.slice(-rows).map((line) => line.replace(/\x1b\[[\d;:]*m|[\x0e\x0f]/g, "").trimEnd());
  return { state, lines, screen: visible.join("\n").trimEnd() };
}

export function shows({ state, screen }: Look, sign: string | RegExp): boolean {
  const text = [...state, screen].join("\n");
  return typeof sign === "string" ? text.includes(sign) : sign.test(text);
}

/** tmux writes equal cells as equal text, so lines that are the same have the same cells. */
export function differences(bare: Look, holt: Look): string[] {
  return [...differentLines("", bare.state, holt.state), ...differentLines("line ", bare.lines, holt.lines)];
}

function differentLines(what: string, bare: readonly string[], holt: readonly string[]): string[] {
  const rows = Array.from({ length: Math.max(bare.length, holt.length) }, (_, row) => row);
  return rows
    .filter((row) => bare[row] !== holt[row])
    .map((row) => `${what}${row}\n  bare ${JSON.stringify(bare[row])}\n  holt ${JSON.stringify(holt[row])}`);
}
