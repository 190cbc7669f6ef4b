/**
 * What of a long stretch of plain lines a terminal must be given: of lines that scroll away, nothing is left but the colours that
 * they switched on. A flood is then rendered about as fast as it is read.
 *
 * That holds where lines scroll through the whole screen, and where nothing else stands between them than text, colours (SGR) and erasures
 * within the line (EL). Whatever else there is, the stretch is given whole.
 */
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const OPEN_BRACKET = 0x5b;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const FINAL_SGR = 0x6d;
const FINAL_EL = 0x4b;
/** Shifts of the character set, and what cancels a sequence. */
const OTHER_CONTROLS = [0x0e, 0x0f, 0x18, 0x1a];
/** In UTF-8, U+0080 to U+009F (more controls) begin with this byte. */
const C1_LEAD = 0xc2;

const NEAR = 64;

/** The pieces to write instead of `bytes`, which begin and end between sequences; null when all of it is needed. */
export function skipScrolledLines(bytes: Uint8Array, keepLines: number): Uint8Array[] | null {
  const tail = startOfLastLines(bytes, keepLines);
  // The line that was begun before is finished, so that what follows starts at the left.
  if (tail === null || tail === 0) return null;
  const skipped = bytes.subarray(0, tail);
  if (OTHER_CONTROLS.some((control) => skipped.includes(control)) || hasC1(skipped)) return null;
  const colors = colorsIn(skipped);
  return colors === null ? null : [colors, CRLF, bytes.subarray(tail)];
}

const CRLF = Uint8Array.of(CR, LF);
const NOTHING = new Uint8Array(0);

/** Where they begin, just past a CR LF. */
function startOfLastLines(bytes: Uint8Array, lines: number): number | null {
  // Far quicker than looking for the last of none, which is what a full-screen program has.
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
 * The SGR sequences in their order, from the last on that sets everything back; null where there is any other sequence than these and EL.
 * There may be one every few bytes: they are looked for and copied without an object for each.
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

/** In a log in colours it is a few bytes away, and further where there are few. */
function nextEscape(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + NEAR);
  for (let at = from; at < near; at++) if (bytes[at] === ESC) return at;
  const far = bytes.indexOf(ESC, near);
  return far < 0 ? bytes.length : far;
}

/** Whether the first parameter is 0, or left out. */
function isReset(bytes: Uint8Array, parameters: number): boolean {
  const after = parameters + (bytes[parameters] === ZERO ? 1 : 0);
  return bytes[after] === FINAL_SGR || bytes[after] === SEMICOLON;
}

/** Digits, `:` and `;`. */
function isParameter(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x3b;
}
