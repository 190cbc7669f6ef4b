/** Undoes ONLCR: a terminal sends "\r\n" for each "\n" of a program. Takes any chunks. */
const CR = 0x0d;
const LF = 0x0a;

export class OnlcrDecoder {
  /** The last chunk ended with "\r", which may belong to an added pair. */
  #isPending = false;

  push(bytes: Uint8Array): Uint8Array {
    const plain = new Uint8Array(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.#isPending && byte !== LF) plain[length++] = CR;
      this.#isPending = byte === CR;
      if (byte !== CR) plain[length++] = byte;
    }
    return plain.subarray(0, length);
  }

  end(): Uint8Array {
    return this.#isPending ? Uint8Array.of(CR) : new Uint8Array(0);
  }
}

export function decodeOnlcr(bytes: Uint8Array): Uint8Array {
  const added = new OnlcrDecoder();
  const plain = added.push(bytes);
  const last = added.end();
  if (last.length === 0) return plain;
  const whole = new Uint8Array(plain.length + last.length);
  whole.set(plain);
  whole.set(last, plain.length);
  return whole;
}
