/** A query that only the terminal's state can answer. */
export type StateQuery =
  /** CSI 6 n, and CSI ? 6 n. */
  | { kind: "cursor_position"; isPrivate: boolean }
  /** DECRQM. */
  | { kind: "mode"; isPrivate: boolean; mode: number }
  /** DECRQSS: the text between `DCS $ q` and the terminator, such as `m` or ` q`. */
  | { kind: "setting"; setting: string }
  /** OSC 4, 10, 11 and 12 with `?`. */
  | { kind: "color"; color: number | "foreground" | "background" | "cursor"; terminator: "bel" | "st" }
  /** CSI 18, 14, 16, 19 and 15 t. */
  | { kind: "size"; what: "cells" | "pixels" | "cell_pixels" | "screen_cells" | "screen_pixels" }
  /** CSI ? u. */
  | { kind: "keyboard_flags" };
