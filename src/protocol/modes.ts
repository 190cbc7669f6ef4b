/** What a terminal program has switched on that changes how keys, the mouse and a paste are sent to it. */
export interface Modes {
  app_cursor_keys: boolean;
  app_keypad: boolean;
  bracketed_paste: boolean;
  alternate_screen: boolean;
  mouse: "off" | "x10" | "normal" | "button" | "any";
  mouse_encoding: "default" | "utf8" | "sgr" | "urxvt" | "sgr_pixels";
  focus_events: boolean;
  cursor_visible: boolean;
}

export const DEFAULT_MODES: Modes = {
  app_cursor_keys: false,
  app_keypad: false,
  bracketed_paste: false,
  alternate_screen: false,
  mouse: "off",
  mouse_encoding: "default",
  focus_events: false,
  cursor_visible: true,
};
