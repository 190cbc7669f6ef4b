import { EscapeParser } from "./escape-parser.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

const TAB = 0x09;
const LF = 0x0a;

/** What was printed, in its order and at once: no escape sequences, no controls but newlines and tabs, and nothing redrawn. */
export class PlainText {
  #out = "";
  readonly #decoder = new Utf8Decoder();
  readonly #parser = new EscapeParser({
    print: (codePoint) => void (this.#out += String.fromCodePoint(codePoint)),
    control: (code) => void (this.#out += code === LF || code === TAB ? String.fromCharCode(code) : ""),
    csi() {},
    escape() {},
  });
  readonly #feed = (codePoint: number): void => this.#parser.push(codePoint);

  push(bytes: Uint8Array): string {
    for (const byte of bytes) this.#decoder.push(byte, this.#feed);
    const text = this.#out;
    this.#out = "";
    return text;
  }
}
