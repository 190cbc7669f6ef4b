/** Streams of bytes as terminal programs write them, and worse ones, for property tests. */
import * as fc from "fast-check";

const PIECES = [
  ...Array.from("ab;?[]P\\^_X0123456789:mnchlRtqu$!>=< "),
  "\x1b",
  "\x1b[",
  "\x1b]",
  "\x1bP",
  "\x1b_",
  "\x1b\\",
  "\x07",
  "\x05",
  "\x18",
  "\x1a",
  "\n",
  "\x00",
  "\x7f",
  "é",
  "€",
  "😀",
  "\u009b",
  "\u009d",
  "\u009c",
  "\u0090",
  "\u0085",
  "\u202e",
  "\x1b[31m",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[c",
  "\x1b[?1;2c",
  "\x1b[?2004h",
  "\x1b[?1049h",
  "\x1b[18t",
  "\x1b[5i",
  "\x1bZ",
  "\x1b]0;title\x07",
  "\x1b]11;?\x1b\\",
  "\x1b]52;c;aGk=\x07",
  "\x1b]8;;http://x\x1b\\",
  "\x1b]1337;File=a:b\x07",
  "\x1bP$qm\x1b\\",
  "\x1bPq#0\x1b\\",
  "\x1b_Ga=q\x1b\\",
].map((piece) => Buffer.from(piece));

const BROKEN = fc.constantFrom(0x80, 0x9b, 0x9c, 0xc2, 0xe2, 0x82, 0xf0, 0xff).map((byte) => Buffer.from([byte]));
const VALID = fc.constantFrom(...PIECES);

const streamOf = (piece: fc.Arbitrary<Buffer>): fc.Arbitrary<Uint8Array> =>
  fc.array(piece, { maxLength: 30 }).map((pieces) => new Uint8Array(Buffer.concat(pieces)));

export const validStreams = streamOf(VALID);
/** With bytes that are no UTF-8. */
export const streams = streamOf(fc.oneof({ weight: 9, arbitrary: VALID }, { weight: 1, arbitrary: BROKEN }));

export const cuts = fc.array(fc.nat(120), { maxLength: 40 });

/** The bytes, cut at those places. */
export function chunksOf(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.slice(sorted[index], end));
}
