/** Strips escape sequences from output without rendering it. */
import { endOfAscii } from "../parser/ascii.ts";
import { EscapeParser } from "../parser/escape-parser.ts";
import { Utf8Decoder } from "../parser/utf8-decoder.ts";

const TAB = 0x09;
const LF = 0x0a;

/**
 * Output in order, without escape sequences and controls other than newline and tab; nothing is
 * redrawn.
 */
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

  /** True between characters and sequences: what follows does not depend on what came before. */
  get isBetween(): boolean {
    return this.#parser.ground && this.#decoder.idle;
  }

  push(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < buffer.length; ) {
      const end = this.isBetween ? endOfAscii(buffer, at) : at;
      if (end > at) this.#out += buffer.toString("latin1", at, end);
      else this.#decoder.push(buffer[at] ?? 0, this.#feed);
      at = Math.max(end, at + 1);
    }
    const text = this.#out;
    this.#out = "";
    return text;
  }
}
