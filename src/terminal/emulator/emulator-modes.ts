/** Reads the terminal modes out of the emulator. */
import type { ScreenModes, MouseTracking } from "../../protocol/types/modes.ts";
import type { Core } from "./emulator-core.ts";
import type { EmulatorState } from "./emulator-state.ts";

const MOUSE: Record<Core["coreMouseService"]["activeProtocol"], MouseTracking> = {
  NONE: "off",
  X10: "x10",
  VT200: "normal",
  DRAG: "button",
  ANY: "any",
};

export function modesOf(core: Core, state: EmulatorState): ScreenModes {
  const { decPrivateModes: dec, modes, isCursorHidden } = core.coreService;
  const { options } = core.optionsService;
  return {
    app_cursor_keys: dec.applicationCursorKeys,
    app_keypad: dec.applicationKeypad,
    bracketed_paste: dec.bracketedPasteMode,
    alternate_screen: core.buffers.active === core.buffers.alt,
    mouse: MOUSE[core.coreMouseService.activeProtocol],
    mouse_encoding: state.mouseEncoding,
    focus_events: dec.sendFocus,
    cursor_visible: !isCursorHidden,
    cursor_shape: dec.cursorStyle ?? "default",
    cursor_blink: dec.cursorBlink ?? options.cursorBlink,
    insert: modes.insertMode,
    newline: options.convertEol,
    origin: dec.origin,
    wraparound: dec.wraparound,
    reverse_wraparound: dec.reverseWraparound,
    reverse_video: state.reverseVideo,
    synchronized_output: dec.synchronizedOutput,
    kitty_keyboard: state.keyboard().flags,
    modify_other_keys: state.modifyOtherKeys,
  };
}
