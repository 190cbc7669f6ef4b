import { expect, test } from "bun:test";
import { HoltError } from "../../src/protocol/types/errors.ts";
import { DEFAULT_MODES, type Modes } from "../../src/protocol/types/modes.ts";
import { encodeKeys, KEY_NAMES, parseKey } from "../../src/terminal/keys/keys.ts";
import { encodePaste } from "../../src/terminal/keys/paste.ts";

const sent = (name: string, modes: Partial<Modes> = {}): string =>
  Buffer.from(encodeKeys([name], { ...DEFAULT_MODES, ...modes })).toString();

const TYPED: Record<string, string> = {
  a: "a",
  A: "A",
  ":": ":",
  "-": "-",
  "^": "^",
  "€": "€",
  "😀": "😀",
  "shift-a": "A",
  space: " ",
  comma: ",",
  enter: "\r",
  return: "\r",
  tab: "\t",
  escape: "\x1b",
  esc: "\x1b",
  backspace: "\x7f",
  "ctrl-a": "\x01",
  "ctrl-A": "\x01",
  "ctrl-z": "\x1a",
  "ctrl-space": "\x00",
  "ctrl-@": "\x00",
  "ctrl-[": "\x1b",
  "ctrl-\\": "\x1c",
  "ctrl-]": "\x1d",
  "ctrl-^": "\x1e",
  "ctrl-_": "\x1f",
  "ctrl-/": "\x1f",
  "ctrl-?": "\x7f",
  "ctrl-backspace": "\x08",
  "ctrl+c": "\x03",
  "C-c": "\x03",
  "^C": "\x03",
  "^[": "\x1b",
  "alt-x": "\x1bx",
  "M-x": "\x1bx",
  "meta-X": "\x1bX",
  "alt-enter": "\x1b\r",
  "alt-ctrl-c": "\x1b\x03",
  "C-M-c": "\x1b\x03",
  "shift-tab": "\x1b[Z",
  "S-Tab": "\x1b[Z",
  BTab: "\x1b[Z",
  Up: "\x1b[A",
  "page-up": "\x1b[5~",
  pgup: "\x1b[5~",
  PageDown: "\x1b[6~",
  NPage: "\x1b[6~",
  "ctrl-up": "\x1b[1;5A",
  "alt-shift-left": "\x1b[1;4D",
  "shift-f5": "\x1b[15;2~",
  "ctrl-delete": "\x1b[3;5~",
  "keypad-5": "5",
  "kp-enter": "\r",
};

for (const [name, bytes] of Object.entries(TYPED)) {
  test(`${name} sends ${JSON.stringify(bytes)}`, () => expect(sent(name)).toBe(bytes));
}

test("cursor keys and the keypad follow the modes", () => {
  expect(sent("up", { app_cursor_keys: true })).toBe("\x1bOA");
  expect(sent("home", { app_cursor_keys: true })).toBe("\x1bOH");
  expect(sent("ctrl-up", { app_cursor_keys: true })).toBe("\x1b[1;5A");
  expect(sent("keypad-5", { app_keypad: true })).toBe("\x1bOu");
  expect(sent("keypad-enter", { app_keypad: true })).toBe("\x1bOM");
  expect(sent("5", { app_keypad: true })).toBe("5");
});

test("several keys are sent one after the other", () => {
  expect(Buffer.from(encodeKeys(["i", "h", "esc", ":", "w", "q", "enter"], DEFAULT_MODES)).toString()).toBe(
    "ih\x1b:wq\r",
  );
  expect(encodeKeys([], DEFAULT_MODES)).toEqual(new Uint8Array(0));
});

test("every name in the list is a key", () => {
  for (const name of KEY_NAMES) expect(() => parseKey(name)).not.toThrow();
});

test("an unknown name is refused, with the nearest one", () => {
  const refusal = (name: string) => {
    try {
      parseKey(name);
    } catch (error) {
      if (error instanceof HoltError) return [error.code, error.message, error.hint];
    }
    return null;
  };
  expect(refusal("entre")).toEqual(["EBADARGS", 'unknown key: "entre"', "did you mean enter?"]);
  expect(refusal("pageupp")?.[2]).toBe("did you mean page-up?");
  for (const name of ["", "hello", "ctrl-", "ctrl-é", "f25", "\x1b", "ctrl-hello"])
    expect(refusal(name)?.[0]).toBe("EBADARGS");
});

// terminfo's name of a key, and holt's. terminfo describes keys in application mode.
const TERMINFO: Record<string, string> = {
  kcuu1: "up",
  kcud1: "down",
  kcuf1: "right",
  kcub1: "left",
  khome: "home",
  kend: "end",
  kich1: "insert",
  kdch1: "delete",
  kpp: "page-up",
  knp: "page-down",
  kbs: "backspace",
  kcbt: "shift-tab",
  kent: "keypad-enter",
  kri: "shift-up",
  kind: "shift-down",
  kLFT: "shift-left",
  kRIT: "shift-right",
  kHOM: "shift-home",
  kEND: "shift-end",
  kDC: "shift-delete",
  kUP3: "alt-up",
  kUP5: "ctrl-up",
  kDN6: "ctrl-shift-down",
  kRIT7: "ctrl-alt-right",
  kPRV5: "ctrl-page-up",
  kNXT5: "ctrl-page-down",
  kDC5: "ctrl-delete",
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`kf${index + 1}`, `f${index + 1}`])),
};

test.if(process.platform === "linux")(
  "the keys are those that terminfo tells programs to expect of xterm-256color",
  () => {
    const { stdout } = Bun.spawnSync(["infocmp", "-1", "-x", "xterm-256color"]);
    const described = new Map(
      Array.from(
        stdout.toString().matchAll(/^\t(\w+)=(.*),$/gm),
        ([, name = "", value = ""]) => [name, value] as const,
      ),
    );
    const unescaped = (value: string): string =>
      value.replaceAll("\\E", "\x1b").replaceAll("^?", "\x7f").replaceAll("^H", "\b");
    let compared = 0;
    for (const [capability, name] of Object.entries(TERMINFO)) {
      const value = described.get(capability);
      if (value === undefined || value === "^H") continue;
      expect([name, unescaped(value)]).toEqual([name, sent(name, { app_cursor_keys: true, app_keypad: true })]);
      compared++;
    }
    expect(compared).toBeGreaterThan(30);
  },
);

test("a paste is in brackets when the program asks for them, and never leaves them early", () => {
  const paste = (text: string, bracketed_paste: boolean) =>
    Buffer.from(encodePaste(Buffer.from(text), { bracketed_paste })).toString();
  expect(paste("a\nb\r\nc\rd", false)).toBe("a\rb\rc\rd");
  expect(paste("a\nb", true)).toBe("\x1b[200~a\rb\x1b[201~");
  expect(paste("a\x1b[201~rm -rf\n", true)).toBe("\x1b[200~a\u241b[201~rm -rf\r\x1b[201~");
  expect(paste("", true)).toBe("\x1b[200~\x1b[201~");
});
