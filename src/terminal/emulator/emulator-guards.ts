/**
 * Guards xterm against hostile output that would run for minutes, fill the memory or make it throw.
 */
import type { Core, CoreLine, Parameters } from "./emulator-core.ts";
import { isAfterCharacter } from "./emulator-widths.ts";

/** Maximum length of a glyph with its combining marks. */
const MAX_GLYPH = 64;
const guarded = new WeakSet<object>();

/** All lines share a prototype: patched once. */
export function guardLines(core: Core): void {
  const line = core.buffers.normal.lines.get(0);
  if (line === undefined) return;
  const prototype = Object.getPrototypeOf(line) as CoreLine;
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const add = prototype.addCodepointToCell;
  prototype.addCodepointToCell = function (this: CoreLine, column, codePoint, width) {
    if (this.isCombined(column) && this.getString(column).length >= MAX_GLYPH) return;
    add.call(this, column, codePoint, width);
  };
}

export function guardSequences(core: Core): void {
  const limit = (finals: string, most: () => number): void => {
    for (const final of finals) core.registerCsiHandler({ final }, (parameters) => clamp(parameters, most()));
  };
  // These sequences repeat their work as often as their parameter says.
  limit("LMST", () => core.rows);
  limit("IZ", () => core.cols);
  core.registerCsiHandler({ final: "b" }, (parameters) => {
    clamp(parameters, core.cols * core.rows);
    return !isAfterCharacter(core._inputHandler._parser.precedingJoinState);
  });
  for (const prefix of ["", "?"]) {
    core.registerCsiHandler({ ...(prefix === "" ? {} : { prefix }), final: "J" }, (parameters) =>
      eraseAbove(core, parameters, prefix === "?"),
    );
  }
}

/**
 * xterm checks only at the start of a run of text whether it overwrites half of a wide character.
 * Without wraparound a run can overwrite one at the edge, and the result would depend on where the
 * output was cut; so characters are then printed one by one.
 */
export function guardRuns({ _inputHandler: { _parser }, coreService }: Core): void {
  const print = _parser._printHandler;
  _parser._printHandler = (codes, from, to) => {
    if (coreService.decPrivateModes.wraparound) return print(codes, from, to);
    for (let at = from; at < to; at++) print(codes, at, at + 1);
  };
}

function clamp({ params }: Parameters, most: number): false {
  params[0] = Math.min(params[0] ?? 0, most);
  return false;
}

/** At the right edge xterm reads the line below the cursor, which may not exist, and throws. */
function eraseAbove(core: Core, parameters: Parameters, selective: boolean): boolean {
  const buffer = core.buffers.active;
  const { x } = buffer;
  if (parameters.params[0] !== 1 || x < core.cols - 1) return false;
  const handler = core._inputHandler;
  handler.eraseInLine({ params: Int32Array.of(2), length: 1 }, selective);
  buffer.x = 0;
  handler.eraseInDisplay({ params: Int32Array.of(1), length: 1 }, selective);
  buffer.x = x;
  const below = buffer.lines.get(buffer.ybase + buffer.y + 1);
  if (below !== undefined && buffer.y + 1 < core.rows) below.isWrapped = false;
  return true;
}

const WIDTH_SHIFT = 22;
const BLANK = 1 << WIDTH_SHIFT;

/**
 * Repairs lines after a resize to fewer columns. xterm keeps cells past the edge of the alternate
 * screen and shows them later, and a line may end in the left half of a wide character. Memory is
 * freed at once: xterm would use a timer and complain on stderr when it takes long.
 */
export function trimLines({ buffers, cols }: Core): void {
  for (const { lines, _memoryCleanupQueue } of [buffers.normal, buffers.alt]) {
    _memoryCleanupQueue.clear();
    for (let row = 0; row < lines.length; row++) {
      const line = lines.get(row);
      if (line === undefined) continue;
      if (line.length > cols) line.resize(cols, undefined);
      line.cleanupMemory();
      const last = (cols - 1) * 3;
      if ((line._data[last] ?? 0) >> WIDTH_SHIFT === 2) line._data[last] = BLANK;
    }
  }
}
