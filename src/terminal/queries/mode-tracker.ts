/**
 * Tracks the modes that a program sets. Resets do what they do in xterm.js, which draws the
 * screens.
 */
import { DEFAULT_MODES, type Modes } from "../../protocol/types/modes.ts";

type Change = Partial<Modes>;

const SWITCHES: ReadonlyMap<number, (on: boolean) => Change> = new Map<number, (on: boolean) => Change>([
  [1, (on) => ({ app_cursor_keys: on })],
  [9, (on) => ({ mouse: on ? "x10" : "off" })],
  [25, (on) => ({ cursor_visible: on })],
  [47, (on) => ({ alternate_screen: on })],
  [66, (on) => ({ app_keypad: on })],
  [1000, (on) => ({ mouse: on ? "normal" : "off" })],
  [1002, (on) => ({ mouse: on ? "button" : "off" })],
  [1003, (on) => ({ mouse: on ? "any" : "off" })],
  [1004, (on) => ({ focus_events: on })],
  [1005, (on) => ({ mouse_encoding: on ? "utf8" : "default" })],
  [1006, (on) => ({ mouse_encoding: on ? "sgr" : "default" })],
  [1015, (on) => ({ mouse_encoding: on ? "urxvt" : "default" })],
  [1016, (on) => ({ mouse_encoding: on ? "sgr_pixels" : "default" })],
  [1047, (on) => ({ alternate_screen: on })],
  [1049, (on) => ({ alternate_screen: on })],
  [2004, (on) => ({ bracketed_paste: on })],
]);

/** Modes that only the emulator knows. All others are unknown everywhere. */
const OTHERS = new Set([3, 6, 7, 8, 12, 45, 67, 1048]);

/** Synchronised output. No key depends on it, but programs query it first. */
const SYNCHRONIZED = 2026;

/** Values of DECRPM. */
const UNKNOWN = 0;
const SET = 1;
const RESET = 2;

export class ModeTracker {
  #modes: Modes = DEFAULT_MODES;
  #synchronized = false;
  readonly #saved = new Map<number, boolean>();

  /** The same object until a mode changes. */
  get modes(): Modes {
    return this.#modes;
  }

  set(modes: readonly number[], on: boolean): void {
    for (const mode of modes) this.#switch(mode, on);
  }

  /** XTSAVE: saves each mode until XTRESTORE. */
  save(modes: readonly number[]): void {
    for (const mode of modes) {
      const change = SWITCHES.get(mode)?.(true);
      if (change !== undefined) this.#saved.set(mode, this.#has(change));
    }
  }

  restore(modes: readonly number[]): void {
    for (const mode of modes) {
      const on = this.#saved.get(mode);
      if (on !== undefined) this.#switch(mode, on);
    }
  }

  /** The DECRPM value of a private mode; null when only the emulator knows it. */
  report(mode: number): number | null {
    if (mode === SYNCHRONIZED) return this.#synchronized ? SET : RESET;
    const change = SWITCHES.get(mode)?.(true);
    if (change !== undefined) return this.#has(change) ? SET : RESET;
    return OTHERS.has(mode) ? null : UNKNOWN;
  }

  keypad(application: boolean): void {
    this.#change({ app_keypad: application });
  }

  reset(): void {
    this.#modes = this.#has(DEFAULT_MODES) ? this.#modes : DEFAULT_MODES;
    this.#saved.clear();
    this.#synchronized = false;
  }

  /** DECSTR keeps the active screen and the mouse modes. */
  softReset(): void {
    this.#synchronized = false;
    const { alternate_screen, mouse, mouse_encoding } = this.#modes;
    this.#change({ ...DEFAULT_MODES, alternate_screen, mouse, mouse_encoding });
  }

  #switch(mode: number, on: boolean): void {
    if (mode === SYNCHRONIZED) this.#synchronized = on;
    const change = SWITCHES.get(mode)?.(on);
    if (change !== undefined) this.#change(change);
  }

  #change(change: Change): void {
    if (!this.#has(change)) this.#modes = { ...this.#modes, ...change };
  }

  #has(change: Change): boolean {
    return (Object.keys(change) as (keyof Modes)[]).every((key) => this.#modes[key] === change[key]);
  }
}

export function sameModes(a: Modes, b: Modes): boolean {
  return a === b || (Object.keys(a) as (keyof Modes)[]).every((key) => a[key] === b[key]);
}
