/**
 * Skips the lines of a flood that scroll away: only the last lines and the colours that the skipped
 * ones switched on reach the emulator, so a flood renders about as fast as it is read.
 *
 * This holds while lines scroll through the whole screen and contain only text, colours (SGR) and
 * erasures within the line (EL). With anything else, the whole output is written.
 */
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const OPEN_BRACKET = 0x5b;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const FINAL_SGR = 0x6d;
const FINAL_EL = 0x4b;
/** Shifts of the character set (SO, SI), and the controls that cancel a sequence (CAN, SUB). */
const OTHER_CONTROLS = [0x0e, 0x0f, 0x18, 0x1a];
/** First byte of U+0080 to U+009F (C1 controls) in UTF-8. */
const C1_LEAD = 0xc2;

/** How far an escape is searched byte by byte before the native search takes over. */
const NEAR = 64;

/**
 * The pieces to write instead of `bytes`, which begin and end between sequences. Null: all of it is
 * needed.
 */
export function skipScrolledLines(bytes: Uint8Array, keepLines: number): Uint8Array[] | null {
  const tail = startOfLastLines(bytes, keepLines);
  // CRLF ends the unfinished line, so that the kept lines start at the left.
  if (tail === null || tail === 0) return null;
  const skipped = bytes.subarray(0, tail);
  if (OTHER_CONTROLS.some((control) => skipped.includes(control)) || hasC1(skipped)) return null;
  const colors = colorsIn(skipped);
  return colors === null ? null : [colors, CRLF, bytes.subarray(tail)];
}

const CRLF = Uint8Array.of(CR, LF);
const NOTHING = new Uint8Array(0);

/** Start of the last `lines` lines, just past a CR LF; null when there are fewer. */
function startOfLastLines(bytes: Uint8Array, lines: number): number | null {
  // A full-screen program prints no LF: includes() is much faster there than lastIndexOf().
  if (!bytes.includes(LF)) return null;
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

/**
 * The SGR sequences in order, from the last full reset on; null when there is a sequence other than
 * SGR and EL. Sequences may be a few bytes apart, so they are copied without allocating.
 */
function colorsIn(bytes: Uint8Array): Uint8Array | null {
  let escape = bytes.indexOf(ESC);
  if (escape < 0) return NOTHING;
  const colors = new Uint8Array(bytes.length);
  let length = 0;
  for (; escape < bytes.length; ) {
    if (bytes[escape + 1] !== OPEN_BRACKET) return null;
    let end = escape + 2;
    while (isParameter(bytes[end] ?? 0)) end++;
    const final = bytes[end];
    if (final === FINAL_SGR) {
      if (isReset(bytes, escape + 2)) length = 0;
      for (let at = escape; at <= end; at++) colors[length++] = bytes[at] ?? 0;
    } else if (final !== FINAL_EL) return null;
    escape = nextEscape(bytes, end + 1);
  }
  return colors.subarray(0, length);
}

/** Short loop first: in a coloured log the next escape is a few bytes away. */
function nextEscape(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + NEAR);
  for (let at = from; at < near; at++) if (bytes[at] === ESC) return at;
  const far = bytes.indexOf(ESC, near);
  return far < 0 ? bytes.length : far;
}

/** True when the first parameter is 0 or left out. */
function isReset(bytes: Uint8Array, parameters: number): boolean {
  const after = parameters + (bytes[parameters] === ZERO ? 1 : 0);
  return bytes[after] === FINAL_SGR || bytes[after] === SEMICOLON;
}

/** Digits, `:` and `;`. */
function isParameter(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x3b;
}
