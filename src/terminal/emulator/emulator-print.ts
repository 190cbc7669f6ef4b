/** Prints text and erases to the right, as xterm does, straight from bytes on runs of cells. */
import { COLOR, EXTENDED } from "./emulator-attributes.ts";
import type { CoreBuffer, CoreLine, InputHandler } from "./emulator-core.ts";
import { wcwidth } from "./emulator-widths.ts";

/** Numbers per cell: character and width, foreground, background. */
const CELL = 3;
const WIDTH_SHIFT = 22;
const NARROW = 1 << WIDTH_SHIFT;
const CONTENT = NARROW - 1;
const WIDE = 2;
/** xterm's join state after a narrow character (emulator-widths.ts). */
const AFTER_NARROW = 2;

/**
 * InputHandler.print for narrow characters from `from` on, with wraparound and without insert mode.
 * Returns the end.
 */
export function print(handler: InputHandler, bytes: Uint8Array, from: number): number {
  if (narrowAt(bytes, from) < 0) return from;
  const { _activeBuffer: buffer, _curAttrData: attributes } = handler;
  const { cols } = handler._bufferService;
  const { fg, bg } = attributes;
  let line = lineOf(buffer);
  let data = line._data;
  let { x } = buffer;
  let at = from;
  if (isLeftHalf(data, x - 1)) line.setCellFromCodepoint(x - 1, 0, 1, attributes);
  for (let code = narrowAt(bytes, at); code >= 0; code = at < bytes.length ? narrowAt(bytes, at) : -1) {
    if (x >= cols) {
      line = wrapped(handler);
      data = line._data;
      x = 0;
    }
    if ((bg & EXTENDED) !== 0) line.setCellFromCodepoint(x, code, 1, attributes);
    else {
      const cell = x * CELL;
      data[cell] = code | NARROW;
      data[cell + 1] = fg;
      data[cell + 2] = bg;
    }
    x++;
    at += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  buffer.x = x;
  if (x < cols && isRightHalf(data, x)) line.setCellFromCodepoint(x, 0, 1, attributes);
  handler._parser.precedingJoinState = AFTER_NARROW;
  return at;
}

/** InputHandler.eraseInLine, to the right of the cursor. */
export function eraseRight(handler: InputHandler): void {
  const buffer = handler._activeBuffer;
  const line = lineOf(buffer);
  const { x } = buffer;
  const background = handler._curAttrData.bg & COLOR;
  const data = line._data;
  if (isLeftHalf(data, x - 1)) line.setCellFromCodepoint(x - 1, 0, 1, handler._eraseAttrData());
  const end = Math.min(handler._bufferService.cols, line.length) * CELL;
  for (let cell = x * CELL; cell < end; cell += CELL) {
    data[cell] = NARROW;
    data[cell + 1] = 0;
    data[cell + 2] = background;
  }
  if (x === 0) line.isWrapped = false;
}

/** Moves to the line that continues a full one. */
function wrapped(handler: InputHandler): CoreLine {
  const { _activeBuffer: buffer, _bufferService: screen } = handler;
  buffer.y++;
  if (buffer.y === buffer.scrollBottom + 1) {
    buffer.y--;
    screen.scroll(handler._eraseAttrData(), true);
    return lineOf(buffer);
  }
  buffer.y = Math.min(buffer.y, screen.rows - 1);
  const line = lineOf(buffer);
  line.isWrapped = true;
  return line;
}

function lineOf(buffer: CoreBuffer): CoreLine {
  return buffer.lines.get(buffer.ybase + buffer.y) as CoreLine;
}

/** Left half of a wide character: when one half is overwritten, the other is cleared. */
function isLeftHalf(data: Uint32Array, column: number): boolean {
  return column >= 0 && (data[column * CELL] ?? 0) >> WIDTH_SHIFT === WIDE;
}

function isRightHalf(data: Uint32Array, column: number): boolean {
  const content = data[column * CELL] ?? 0;
  return (content & CONTENT) === 0 && content >> WIDTH_SHIFT === 0;
}

const DEL = 0x7f;

/** The character at `at` if it is complete, valid and one column wide; otherwise -1. */
function narrowAt(bytes: Uint8Array, at: number): number {
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
