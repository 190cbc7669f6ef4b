/** Terminal modes that affect how keys are encoded and how the screen is drawn. */
export interface Modes {
  /** DECCKM: arrows are sent as SS3. */
  app_cursor_keys: boolean;
  /** DECKPAM. */
  app_keypad: boolean;
  bracketed_paste: boolean;
  alternate_screen: boolean;
  mouse: MouseTracking;
  mouse_encoding: MouseEncoding;
  focus_events: boolean;
  cursor_visible: boolean;
}

/** Modes that only the emulator needs. */
export interface ScreenModes extends Modes {
  cursor_shape: CursorShape;
  cursor_blink: boolean;
  /** IRM: printed characters shift the rest of the line. */
  insert: boolean;
  /** LNM: a line feed also returns. */
  newline: boolean;
  /** DECOM: rows count from the top of the scroll region. */
  origin: boolean;
  /** DECAWM. */
  wraparound: boolean;
  reverse_wraparound: boolean;
  /** DECSCNM: the whole screen is inverse. */
  reverse_video: boolean;
  synchronized_output: boolean;
  /** Active flags of the kitty keyboard protocol; 0 is the classic keyboard. */
  kitty_keyboard: number;
  /** xterm's modifyOtherKeys. */
  modify_other_keys: number;
}

export type MouseTracking = "off" | "x10" | "normal" | "button" | "any";
export type MouseEncoding = "default" | "utf8" | "sgr" | "urxvt" | "sgr_pixels";
/** "default" is the setting of the viewer's terminal. */
export type CursorShape = "default" | "block" | "underline" | "bar";

export const DEFAULT_MODES: Readonly<Modes> = Object.freeze({
  app_cursor_keys: false,
  app_keypad: false,
  bracketed_paste: false,
  alternate_screen: false,
  mouse: "off",
  mouse_encoding: "default",
  focus_events: false,
  cursor_visible: true,
});

/** The part of a screen's modes that every client needs. */
export function sharedModes(modes: Modes): Modes {
  const { app_cursor_keys, app_keypad, bracketed_paste, alternate_screen } = modes;
  const { mouse, mouse_encoding, focus_events, cursor_visible } = modes;
  return {
    app_cursor_keys,
    app_keypad,
    bracketed_paste,
    alternate_screen,
    mouse,
    mouse_encoding,
    focus_events,
    cursor_visible,
  };
}
