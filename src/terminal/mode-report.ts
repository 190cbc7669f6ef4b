/** The values of DECRPM. */
import type { ScreenModes } from "../protocol/modes.ts";

type ModeValue = 0 | 1 | 2 | 3 | 4;
const UNKNOWN: ModeValue = 0;
const ALWAYS_SET: ModeValue = 3;
const ALWAYS_RESET: ModeValue = 4;
const value = (isSet: boolean): ModeValue => (isSet ? 1 : 2);

export function ansiMode(modes: ScreenModes, mode: number): ModeValue {
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

export function privateMode(modes: ScreenModes, mode: number): ModeValue {
  return PRIVATE[mode]?.(modes) ?? UNKNOWN;
}
