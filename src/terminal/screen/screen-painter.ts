/**
 * Paints a screen on a terminal of another size, redrawing only rows that changed; the rest of the
 * terminal is blank. A smaller terminal shows the part around the cursor. The terminal gets the
 * program's keyboard, mouse and paste modes.
 */
import { bytesOf } from "../../protocol/types/bytes.ts";
import { DEFAULT_MODES, type Modes } from "../../protocol/types/modes.ts";
import { cutColumns } from "../text/cut-columns.ts";
import type { Screen, ScreenRun } from "./screen.ts";
import { sgr } from "./sgr.ts";

interface Size {
  cols: number;
  rows: number;
}

const CSI = "\x1b[";
const MOUSE_TRACKING = { off: null, x10: 9, normal: 1000, button: 1002, any: 1003 } as const;
const MOUSE_ENCODING = { default: null, utf8: 1005, sgr: 1006, urxvt: 1015, sgr_pixels: 1016 } as const;
const SHAPES = { default: 0, block: 2, underline: 4, bar: 6 } as const;

export class ScreenPainter {
  #painted: string[] = [];
  #size: Size = { cols: 0, rows: 0 };
  #settings = new Map<string, string>();

  /** Enters the alternate screen: the user's own screen stays. */
  enter(): Uint8Array {
    return bytesOf(`${CSI}22;2t${CSI}?1049h${CSI}2J`);
  }

  leave(): Uint8Array {
    this.forget();
    this.#settings.clear();
    return bytesOf(
      `${CSI}?25h${CSI}0 q${keySettings(DEFAULT_MODES)
        .map(([, text]) => text)
        .join("")}${CSI}?1049l${CSI}23;2t`,
    );
  }

  /** Makes the next paint a full one. */
  forget(): void {
    this.#painted = [];
  }

  paint(screen: Screen, size: Size): Uint8Array {
    if (size.cols !== this.#size.cols || size.rows !== this.#size.rows) this.forget();
    this.#size = size;
    const isWhole = this.#painted.length === 0;
    const { cursor } = screen;
    // A hidden cursor is not followed.
    const top = cursor.visible ? firstShown(cursor.row, screen.rows, size.rows) : 0;
    const left = cursor.visible ? firstShown(cursor.col, screen.cols, size.cols) : 0;
    const parts = [isWhole ? `${CSI}?25l${CSI}m${CSI}2J` : `${CSI}?25l`];
    for (let row = 0; row < size.rows; row++) {
      const runs = screen.lines[top + row];
      const text = runs === undefined ? "" : rowAnsi(cutColumns(runs, left, size.cols));
      if (this.#painted[row] === text) continue;
      this.#painted[row] = text;
      parts.push(`${CSI}${row + 1};1H${CSI}m${CSI}2K${text}${CSI}m`);
    }
    parts.push(...this.#changed(screen, cursor));
    parts.push(`${CSI}${cursor.row - top + 1};${cursor.col - left + 1}H${cursor.visible ? `${CSI}?25h` : ""}`);
    return bytesOf(parts.join(""));
  }

  #changed({ modes, title }: Screen, { shape, blink }: Screen["cursor"]): string[] {
    const style = SHAPES[shape] - (blink && shape !== "default" ? 1 : 0);
    const settings: [string, string][] = [
      ...keySettings(modes),
      ["shape", `${CSI}${style} q`],
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the title
      ["title", `\x1b]2;${title.replace(/[\x00-\x1f\x7f-\x9f]/g, "")}\x1b\\`],
    ];
    return settings.flatMap(([name, text]) => {
      if (this.#settings.get(name) === text) return [];
      this.#settings.set(name, text);
      return [text];
    });
  }
}

/** Modes that change how keys, the mouse and pastes are sent. */
function keySettings(modes: Modes): [string, string][] {
  const tracking = MOUSE_TRACKING[modes.mouse];
  const encoding = MOUSE_ENCODING[modes.mouse_encoding];
  const off = [...Object.values(MOUSE_TRACKING), ...Object.values(MOUSE_ENCODING)]
    .filter((mode) => mode !== null && mode !== tracking && mode !== encoding)
    .map((mode) => `${CSI}?${mode}l`);
  const on = [tracking, encoding].filter((mode) => mode !== null).map((mode) => `${CSI}?${mode}h`);
  return [
    ["cursor_keys", `${CSI}?1${modes.app_cursor_keys ? "h" : "l"}`],
    ["keypad", modes.app_keypad ? "\x1b=" : "\x1b>"],
    ["paste", `${CSI}?2004${modes.bracketed_paste ? "h" : "l"}`],
    ["focus", `${CSI}?1004${modes.focus_events ? "h" : "l"}`],
    ["mouse", [...off, ...on].join("")],
  ];
}

/** First row or column to show, so that the cursor is visible. */
function firstShown(cursor: number, length: number, room: number): number {
  return length <= room ? 0 : Math.min(length - room, Math.max(0, cursor - room + 1));
}

/** Escape sequences for one row, without trailing blanks. */
function rowAnsi(runs: readonly ScreenRun[]): string {
  const last = runs.at(-1);
  const isBlank = last !== undefined && last.text.trim() === "" && Object.keys(last.style).length === 0;
  const shown = isBlank ? runs.slice(0, -1) : runs;
  return shown.map(({ text, style }) => `${sgr(style)}${text}`).join("");
}
