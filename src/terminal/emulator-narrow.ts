import { wcwidth } from "./emulator-widths.ts";

const DEL = 0x7f;

/** The character there if it is whole, well-formed and takes one column; -1 otherwise. */
export function narrowAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte < DEL) return byte >= 0x20 ? byte : -1;
  return byte < 0xc2 || byte > 0xef ? -1 : narrowBeyondAscii(bytes, at, byte);
}

function narrowBeyondAscii(bytes: Uint8Array, at: number, lead: number): number {
  const second = (bytes[at + 1] ?? 0) ^ 0x80;
  if (second > 0x3f) return -1;
  if (lead < 0xe0) return narrow(((lead & 0x1f) << 6) | second, 0xa0);
  const third = (bytes[at + 2] ?? 0) ^ 0x80;
  return third > 0x3f ? -1 : narrow(((lead & 0x0f) << 12) | (second << 6) | third, 0x800);
}

function narrow(code: number, least: number): number {
  const isSurrogate = code >= 0xd800 && code < 0xe000;
  return code < least || isSurrogate || wcwidth(code) !== 1 ? -1 : code;
}
