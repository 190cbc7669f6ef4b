/** State that a program sets and xterm ignores, gets wrong or does not expose. */
import type { MouseEncoding } from "../../protocol/types/modes.ts";
import type { Core, CoreBuffer, Extended, Parameters } from "./emulator-core.ts";
import { MAX_STRING } from "./emulator-input.ts";
import { trimLines } from "./emulator-guards.ts";
import { followCwd } from "./emulator-cwd.ts";
import { KeyboardFlags } from "../keys/keyboard-flags.ts";
import type { ScreenColors } from "../screen/screen.ts";

const ENCODINGS: Record<number, MouseEncoding> = { 1005: "utf8", 1006: "sgr", 1015: "urxvt", 1016: "sgr_pixels" };
const REVERSE_VIDEO = 5;
/** OSC numbers that xterm handles. */
const STRINGS = [0, 1, 2, 4, 10, 11, 12, 104];

/** State saved by DECSC beyond xterm's own: the row of the screen and the underline style. */
interface SavedCursor {
  row: number;
  extended: Extended;
}

export class EmulatorState {
  title = "";
  cwd: string | null = null;
  reverseVideo = false;
  mouseEncoding: MouseEncoding = "default";
  modifyOtherKeys = 0;
  colors: ScreenColors = { palette: {} };
  readonly #core: Core;
  readonly #plain: Extended;
  #keyboards = { normal: new KeyboardFlags(), alt: new KeyboardFlags() };
  #saved: { normal: SavedCursor; alt: SavedCursor };

  constructor(core: Core) {
    this.#core = core;
    this.#plain = core._inputHandler._curAttrData.extended.clone();
    this.#saved = this.#nothingSaved();
    for (const number of STRINGS) core.registerOscHandler(number, (data) => data.length > MAX_STRING);
    core._inputHandler.onTitleChange((title) => void (this.title = title));
    followCwd(core, (cwd) => void (this.cwd = cwd));
    this.#followColors();
    this.#followModes();
    this.#followKeyboard();
    this.#followResets();
    this.#keepCursors();
  }

  keyboard(screen: "normal" | "alt" = this.#active): KeyboardFlags {
    return this.#keyboards[screen];
  }

  saved(screen: "normal" | "alt"): SavedCursor {
    return this.#saved[screen];
  }

  /** A saved cursor moves with its line, as the cursor does. */
  resize(cols: number, rows: number): void {
    if (cols === this.#core.cols && rows === this.#core.rows) return;
    const { normal, alt } = this.#core.buffers;
    const pairs: [CoreBuffer, SavedCursor][] = [
      [normal, this.#saved.normal],
      [alt, this.#saved.alt],
    ];
    for (const [buffer, saved] of pairs) buffer.savedY = buffer.ybase + saved.row;
    this.#core.resize(cols, rows);
    trimLines(this.#core);
    // xterm enlarges a screen that is not shown and never shrinks it: it would scroll into the
    // extra lines.
    if (alt.lines.length === 0) alt.lines.maxLength = rows;
    // The last character may have moved: nothing joins it.
    this.#core._inputHandler._parser.precedingJoinState = 0;
    for (const [buffer, saved] of pairs) saved.row = clamp(buffer.savedY - buffer.ybase, rows - 1);
  }

  get #active(): "normal" | "alt" {
    return this.#core.buffers.active === this.#core.buffers.alt ? "alt" : "normal";
  }

  #nothingSaved(): { normal: SavedCursor; alt: SavedCursor } {
    return { normal: { row: 0, extended: this.#plain }, alt: { row: 0, extended: this.#plain } };
  }

  /** xterm saves the cursor's line, wherever it scrolls; terminals save the row. */
  #keepCursors(): void {
    const handler = this.#core._inputHandler;
    const save = handler.saveCursor.bind(handler);
    const restore = handler.restoreCursor.bind(handler);
    handler.saveCursor = () => {
      this.#saved[this.#active] = {
        row: this.#core.buffers.active.y,
        extended: handler._curAttrData.extended.clone(),
      };
      return save();
    };
    handler.restoreCursor = () => {
      const saved = this.#saved[this.#active];
      const buffer = this.#core.buffers.active;
      buffer.savedY = buffer.ybase + saved.row;
      restore();
      const attributes = handler._curAttrData;
      const { urlId } = attributes.extended;
      attributes.extended = saved.extended.clone();
      attributes.extended.urlId = urlId;
      attributes.updateExtended();
      return true;
    };
  }

  #followModes(): void {
    const set = ({ params, length }: Parameters, on: boolean): false => {
      for (const mode of params.subarray(0, length)) {
        const encoding = ENCODINGS[mode];
        if (encoding !== undefined) this.mouseEncoding = on ? encoding : "default";
        if (mode === REVERSE_VIDEO) this.reverseVideo = on;
      }
      return false;
    };
    this.#core.registerCsiHandler({ prefix: "?", final: "h" }, (parameters) => set(parameters, true));
    this.#core.registerCsiHandler({ prefix: "?", final: "l" }, (parameters) => set(parameters, false));
  }

  #followKeyboard(): void {
    const on = (prefix: string, final: string, act: (first: number, second: number) => void): void => {
      this.#core.registerCsiHandler({ prefix, final }, ({ params, length }) => {
        act(params[0] ?? 0, length > 1 ? (params[1] ?? 0) : 0);
        return true;
      });
    };
    on(">", "u", (flags) => this.keyboard().push(flags));
    on("<", "u", (count) => this.keyboard().pop(count || 1));
    on("=", "u", (flags, how) => this.keyboard().set(flags, how || 1));
    on(">", "m", (resource, value) => {
      if (resource === 4 || resource === 0) this.modifyOtherKeys = resource === 4 ? Math.min(value, 2) : 0;
    });
    on(">", "n", (resource) => void (resource === 4 && (this.modifyOtherKeys = 0)));
  }

  #followColors(): void {
    this.#core._inputHandler.onColor((changes) => {
      for (const { type, index, color } of changes) {
        if (type === 0) continue;
        const value = color && (`#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}` as const);
        if (index === undefined) this.colors.palette = {};
        else this.#setColor(index, type === 1 ? value : undefined);
      }
    });
  }

  #setColor(index: number, value: `#${string}` | undefined): void {
    const special = (["foreground", "background", "cursor"] as const)[index - 256];
    if (special === undefined) {
      if (value === undefined) delete this.colors.palette[index];
      else this.colors.palette[index] = value;
    } else if (value === undefined) delete this.colors[special];
    else this.colors[special] = value;
  }

  #followResets(): void {
    this.#core.registerCsiHandler({ intermediates: "!", final: "p" }, () => {
      this.#saved[this.#active] = { row: 0, extended: this.#plain };
      return false;
    });
    this.#core.registerEscHandler({ final: "c" }, () => {
      this.#reset();
      return false;
    });
  }

  #reset(): void {
    this.reverseVideo = false;
    this.mouseEncoding = "default";
    this.modifyOtherKeys = 0;
    this.colors = { palette: {} };
    this.#keyboards = { normal: new KeyboardFlags(), alt: new KeyboardFlags() };
    this.#saved = this.#nothingSaved();
    // xterm does not reset these.
    this.#core.coreService.isCursorHidden = false;
    this.#core.optionsService.options.convertEol = false;
    this.#core.optionsService.options.cursorBlink = false;
    this.#core._inputHandler._windowTitleStack.length = 0;
  }
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
