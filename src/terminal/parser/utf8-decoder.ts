/**
 * Decodes UTF-8 into code points, across chunks. Invalid input becomes U+FFFD, one per maximal
 * broken piece as in the WHATWG decoder, with one difference: a stray byte 0x80 to 0x9F becomes the
 * C1 control of that number, because it is one to a terminal in 8-bit mode.
 */
const REPLACEMENT = 0xfffd;

export class Utf8Decoder {
  #code = 0;
  #missing = 0;
  /**
   * Bounds of the next continuation byte: they exclude overlong forms, surrogates and values past
   * U+10FFFF.
   */
  #lower = 0x80;
  #upper = 0xbf;

  get idle(): boolean {
    return this.#missing === 0;
  }

  push(byte: number, emit: (codePoint: number) => void): void {
    if (this.#missing > 0) {
      if (byte >= this.#lower && byte <= this.#upper) {
        this.#code = (this.#code << 6) | (byte & 0x3f);
        this.#lower = 0x80;
        this.#upper = 0xbf;
        if (--this.#missing === 0) emit(this.#code);
        return;
      }
      this.end(emit);
    }
    if (byte < 0xa0) emit(byte);
    else if (byte >= 0xc2 && byte <= 0xdf) this.#start(byte & 0x1f, 1);
    else if (byte >= 0xe0 && byte <= 0xef)
      this.#start(byte & 0x0f, 2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf);
    else if (byte >= 0xf0 && byte <= 0xf4)
      this.#start(byte & 0x07, 3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf);
    else emit(REPLACEMENT);
  }

  /** End of input: an unfinished character is invalid. */
  end(emit: (codePoint: number) => void): void {
    if (this.#missing === 0) return;
    this.#missing = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
    emit(REPLACEMENT);
  }

  #start(code: number, missing: number, lower = 0x80, upper = 0xbf): void {
    this.#code = code;
    this.#missing = missing;
    this.#lower = lower;
    this.#upper = upper;
  }
}
