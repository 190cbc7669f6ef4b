/** What opens a sequence. */
import type { SequenceKind } from "./sequence.ts";

/** The second byte of a C1 control in UTF-8. */
export function isC1(byte: number): boolean {
  return byte >= 0x80 && byte <= 0x9f;
}

/** What ESC and this character open. */
export function opened(byte: number): SequenceKind | null {
  switch (byte) {
    case 0x5b: // [
      return "csi";
    case 0x5d: // ]
      return "osc";
    case 0x50: // P
      return "dcs";
    case 0x58: // X, SOS
    case 0x5e: // ^, PM
    case 0x5f: // _, APC
      return "private";
    default:
      return null;
  }
}
