/** Answers a program's queries about the terminal's state from the emulator. */
import { bytesOf } from "../../protocol/types/bytes.ts";
import type { ScreenModes } from "../../protocol/types/modes.ts";
import { CellReader } from "./emulator-cells.ts";
import type { EmulatorParts } from "./emulator-replay.ts";
import { cursorShapeNumber } from "./replay-sequences.ts";
import { channels, sgrParameters } from "../screen/sgr.ts";
import type { StateQuery } from "../queries/state-query.ts";
import { type DefaultColors, paletteHex } from "../screen/default-colors.ts";

interface AnswerState extends EmulatorParts {
  modes: ScreenModes;
  pixels: { width: number; height: number } | null;
  colors: DefaultColors | undefined;
}

export function answerOf(query: StateQuery, state: AnswerState): Uint8Array | null {
  const text = answerText(query, state);
  return text === null ? null : bytesOf(text);
}

function answerText(query: StateQuery, state: AnswerState): string | null {
  switch (query.kind) {
    case "cursor_position":
      return cursorPosition(state, query.isPrivate);
    case "mode":
      return query.isPrivate
        ? `\x1b[?${query.mode};${privateMode(state.modes, query.mode)}$y`
        : `\x1b[${query.mode};${ansiMode(state.modes, query.mode)}$y`;
    case "setting":
      return settingReport(state, query.setting);
    case "color":
      return colorReport(state, query);
    case "size":
      return sizeReport(state, query.what);
    case "keyboard_flags":
      return `\x1b[?${state.modes.kitty_keyboard}u`;
  }
}

function cursorPosition({ core, modes }: AnswerState, isPrivate: boolean): string {
  const { x, y, scrollTop } = core.buffers.active;
  const row = y - (modes.origin ? scrollTop : 0) + 1;
  return `\x1b[${isPrivate ? "?" : ""}${Math.max(1, row)};${Math.min(x, core.cols - 1) + 1}R`;
}

function settingReport({ core, cell, links }: AnswerState, setting: string): string {
  const { scrollTop, scrollBottom } = core.buffers.active;
  const style = new CellReader(cell, links).style(core._inputHandler._curAttrData);
  const values: Record<string, string> = {
    m: sgrParameters(style),
    r: `${scrollTop + 1};${scrollBottom + 1}`,
    " q": `${cursorShapeNumber(core.coreService.decPrivateModes)}`,
    '"q': style.protected ? "1" : "0",
    '"p': "61;1",
  };
  const value = Object.hasOwn(values, setting) ? values[setting] : undefined;
  return value === undefined ? "\x1bP0$r\x1b\\" : `\x1bP1$r${value}${setting}\x1b\\`;
}

function colorReport({ state, colors }: AnswerState, query: StateQuery & { kind: "color" }): string | null {
  const { color, terminator } = query;
  const changed = typeof color === "number" ? state.colors.palette[color] : state.colors[color];
  const value = changed ?? (typeof color === "number" ? paletteHex(color) : colors?.[color]);
  if (value === undefined) return null;
  const name = typeof color === "number" ? `4;${color}` : { foreground: "10", background: "11", cursor: "12" }[color];
  const parts = channels(value).map((channel) => channel.toString(16).padStart(2, "0").repeat(2));
  return `\x1b]${name};rgb:${parts.join("/")}${terminator === "bel" ? "\x07" : "\x1b\\"}`;
}

function sizeReport({ core, pixels }: AnswerState, what: (StateQuery & { kind: "size" })["what"]): string | null {
  const { rows, cols } = core;
  if (what === "cells") return `\x1b[8;${rows};${cols}t`;
  if (what === "screen_cells") return `\x1b[9;${rows};${cols}t`;
  if (pixels === null || pixels.width <= 0 || pixels.height <= 0) return null;
  const { width, height } = pixels;
  if (what === "cell_pixels") return `\x1b[6;${Math.floor(height / rows)};${Math.floor(width / cols)}t`;
  return `\x1b[${what === "pixels" ? 4 : 5};${height};${width}t`;
}

type ModeValue = 0 | 1 | 2 | 3 | 4;
const UNKNOWN: ModeValue = 0;
const ALWAYS_SET: ModeValue = 3;
const ALWAYS_RESET: ModeValue = 4;
const value = (isSet: boolean): ModeValue => (isSet ? 1 : 2);

function ansiMode(modes: ScreenModes, mode: number): ModeValue {
  if (mode === 2) return ALWAYS_RESET;
  if (mode === 4) return value(modes.insert);
  if (mode === 12) return ALWAYS_SET;
  if (mode === 20) return value(modes.newline);
  return UNKNOWN;
}

const PRIVATE: Record<number, (modes: ScreenModes) => ModeValue> = {
  1: (modes) => value(modes.app_cursor_keys),
  5: (modes) => value(modes.reverse_video),
  6: (modes) => value(modes.origin),
  7: (modes) => value(modes.wraparound),
  8: () => ALWAYS_SET,
  9: (modes) => value(modes.mouse === "x10"),
  12: (modes) => value(modes.cursor_blink),
  25: (modes) => value(modes.cursor_visible),
  45: (modes) => value(modes.reverse_wraparound),
  47: (modes) => value(modes.alternate_screen),
  66: (modes) => value(modes.app_keypad),
  67: () => ALWAYS_RESET,
  1000: (modes) => value(modes.mouse === "normal"),
  1002: (modes) => value(modes.mouse === "button"),
  1003: (modes) => value(modes.mouse === "any"),
  1004: (modes) => value(modes.focus_events),
  1005: (modes) => value(modes.mouse_encoding === "utf8"),
  1006: (modes) => value(modes.mouse_encoding === "sgr"),
  1015: (modes) => value(modes.mouse_encoding === "urxvt"),
  1016: (modes) => value(modes.mouse_encoding === "sgr_pixels"),
  1047: (modes) => value(modes.alternate_screen),
  1048: () => 1,
  1049: (modes) => value(modes.alternate_screen),
  2004: (modes) => value(modes.bracketed_paste),
  2026: (modes) => value(modes.synchronized_output),
};

function privateMode(modes: ScreenModes, mode: number): ModeValue {
  return PRIVATE[mode]?.(modes) ?? UNKNOWN;
}
