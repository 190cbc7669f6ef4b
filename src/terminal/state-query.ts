/** A question to the terminal that only its state at that moment answers. */
export type StateQuery =
  | { kind: "cursor_position"; isPrivate: boolean }
  | { kind: "mode"; isPrivate: boolean; mode: number }
  | { kind: "setting"; setting: string }
  | { kind: "color"; color: number | "foreground" | "background" | "cursor"; terminator: "bel" | "st" }
  | { kind: "size"; what: "cells" | "pixels" | "cell_pixels" | "screen_cells" }
  | { kind: "keyboard_flags" };
