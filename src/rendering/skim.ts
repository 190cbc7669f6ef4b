/**
 * What of a long stretch of plain lines a terminal must be given: of lines that scroll away, nothing is left but the colours that
 * they switched on. A flood is then rendered about as fast as it is read.
 *
 * That holds where lines scroll through the whole screen, and where nothing else stands between them than text, colours (SGR) and erasures
 * within the line (EL). Whatever else there is, the stretch is given whole.
 */
import { joined } from "../protocol/bytes.ts";

const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const OPEN_BRACKET = 0x5b;
const FINAL_SGR = 0x6d;
const FINAL_EL = 0x4b;
/** Shifts of the character set, and what cancels a sequence. */
const OTHER_CONTROLS = [0x0e, 0x0f, 0x18, 0x1a];
/** In UTF-8, U+0080 to U+009F (more controls) begin with this byte. */
const C1_LEAD = 0xc2;

/** The pieces to write instead of `bytes`, which begin and end between sequences; null when all of it is needed. */
export function skim(bytes: Uint8Array, keepLines: number): Uint8Array[] | null {
  const tail = startOfLastLines(bytes, keepLines);
  // The line that was begun before is finished, so that what follows starts at the left.
  if (tail === null || tail === 0) return null;
  const skipped = bytes.subarray(0, tail);
  if (OTHER_CONTROLS.some((control) => skipped.includes(control)) || hasC1(skipped)) return null;
  const colors = colorsIn(skipped);
  return colors === null ? null : [joined(colors), CRLF, bytes.subarray(tail)];
}

const CRLF = Uint8Array.of(CR, LF);

/** Where they begin, just past a CR LF. */
function startOfLastLines(bytes: Uint8Array, lines: number): number | null {
  let at = bytes.length;
  for (let left = lines; left > 0; left--) {
    at = bytes.lastIndexOf(LF, at - 1);
    if (at <= 0) return null;
  }
  while (at > 0 && bytes[at - 1] !== CR) at = bytes.lastIndexOf(LF, at - 1);
  return at <= 0 ? null : at + 1;
}

function hasC1(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(C1_LEAD); at >= 0; at = bytes.indexOf(C1_LEAD, at + 1)) {
    const next = bytes[at + 1] ?? 0x80;
    if (next >= 0x80 && next < 0xa0) return true;
  }
  return false;
}

/** The SGR sequences in their order; null where there is any other sequence than these and EL. */
function colorsIn(bytes: Uint8Array): Uint8Array[] | null {
  const colors: Uint8Array[] = [];
  for (let at = bytes.indexOf(ESC); at >= 0; at = bytes.indexOf(ESC, at + 1)) {
    if (bytes[at + 1] !== OPEN_BRACKET) return null;
    let end = at + 2;
    while (isParameter(bytes[end] ?? 0)) end++;
    if (bytes[end] === FINAL_SGR) colors.push(bytes.subarray(at, end + 1));
    else if (bytes[end] !== FINAL_EL) return null;
    at = end;
  }
  return colors;
}

/** Digits, `:` and `;`. */
function isParameter(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x3b;
}
