/**
 * Output that every viewer is sent as it is (viewer-filter.ts), as a table for one that knows nothing of terminals (platform/relay-thread.ts): text,
 * and the commonest sequences, each complete. Not all of what passes the filter is in here, but all that is passes it.
 *
 * By state and byte, the next state. A piece of output that begins and ends in state 0 is plain.
 */
import { passesPlainCsi, passesPrivateCsi } from "./viewer-rules.ts";

const BYTES = 256;
const GROUND = 0;
/** For good. */
const REFUSED = 1;

const ESC = 0x1b;
const DIGITS = "0123456789";
/** The cursor and its margins saved and restored, the keypad's modes, up a line; these alone, of all that are no CSI. */
const ESCAPES = "78=>M";
const CHARSETS = "0AB";
/** Of sequences of which others do not pass, those that do. */
const ERASING = ["J", "0J", "1J", "2J"];
const SET_MODES = ["1h", "7h", "12h", "25h", "1049h", "2004h"];

export function plainEchoRules(): Uint8Array {
  const rules = new Rules();
  const { ground } = rules;
  const [escape, csi, csiNumbers, privateNumbers] = [rules.add(), rules.add(), rules.add(), rules.add()];
  for (let byte = 0x20; byte < 0x7f; byte++) rules.set(ground, byte, GROUND);
  for (let control = 0x07; control <= 0x0d; control++) rules.set(ground, control, GROUND);
  addCharacters(rules);
  rules.set(ground, ESC, escape);
  rules.setAll(escape, ESCAPES, GROUND);
  rules.setAll(escape, "()", rules.add(CHARSETS));
  rules.setAll(escape, "[", csi);
  for (const state of [csi, csiNumbers]) {
    rules.setAll(state, `${DIGITS};:`, csiNumbers);
    for (let final = 0x40; final < 0x7f; final++) if (passesPlainCsi(final)) rules.set(state, final, GROUND);
  }
  rules.setAll(privateNumbers, `${DIGITS};`, privateNumbers);
  for (let final = 0x40; final < 0x7f; final++) if (passesPrivateCsi(final)) rules.set(privateNumbers, final, GROUND);
  for (const sequence of ERASING) rules.addSequence(csi, sequence);
  const modes = rules.copy(privateNumbers);
  rules.setAll(csi, "?", modes);
  for (const sequence of SET_MODES) rules.addSequence(modes, sequence);
  return rules.table();
}

/** UTF-8, but for C2 80 to C2 9F, which are controls. */
function addCharacters(rules: Rules): void {
  let tail = GROUND;
  for (const [from, to] of [
    [0xc3, 0xdf],
    [0xe0, 0xef],
    [0xf0, 0xf4],
  ] as const) {
    const next = rules.add();
    for (let byte = 0x80; byte <= 0xbf; byte++) rules.set(next, byte, tail);
    for (let byte = from; byte <= to; byte++) rules.set(rules.ground, byte, next);
    tail = next;
  }
  const latin = rules.add();
  for (let byte = 0xa0; byte <= 0xbf; byte++) rules.set(latin, byte, GROUND);
  rules.set(rules.ground, 0xc2, latin);
}

class Rules {
  readonly ground = GROUND;
  readonly #rows: Uint8Array[] = [];

  constructor() {
    this.add(); // GROUND
    this.add(); // REFUSED
  }

  /** A state in which nothing passes but these characters. */
  add(ends = ""): number {
    this.#rows.push(new Uint8Array(BYTES).fill(REFUSED));
    const state = this.#rows.length - 1;
    this.setAll(state, ends, GROUND);
    return state;
  }

  copy(state: number): number {
    return this.#rows.push(this.#row(state).slice()) - 1;
  }

  set(state: number, byte: number, next: number): void {
    this.#row(state)[byte] = next;
  }

  setAll(state: number, characters: string, next: number): void {
    for (const character of characters) this.set(state, character.charCodeAt(0), next);
  }

  /** From a state on, this one passes too. On its way everything else is as it was. */
  addSequence(from: number, sequence: string): void {
    let state = from;
    for (const character of sequence.slice(0, -1)) {
      const code = character.charCodeAt(0);
      const next = this.copy(this.#row(state)[code] ?? REFUSED);
      this.set(state, code, next);
      state = next;
    }
    this.setAll(state, sequence.slice(-1), GROUND);
  }

  table(): Uint8Array {
    const table = new Uint8Array(this.#rows.length * BYTES);
    for (const [state, row] of this.#rows.entries()) table.set(row, state * BYTES);
    return table;
  }

  #row(state: number): Uint8Array {
    const row = this.#rows[state];
    if (row === undefined) throw new RangeError(`no state ${state}`);
    return row;
  }
}
