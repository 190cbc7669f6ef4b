/** Writes the end of a replay: the cursor, and the style and position of the next character. */
import type { CellReader } from "./emulator-cells.ts";
import { charsetSequences, designate } from "./emulator-charsets.ts";
import type { Core } from "./emulator-core.ts";
import type { LineWriter } from "./emulator-line-writer.ts";
import { isAfterCharacter } from "./emulator-widths.ts";
import { cursorSequences } from "./replay-sequences.ts";
import type { Style } from "../screen/screen.ts";

interface ReplayTarget {
  core: Core;
  reader: CellReader;
  painter: LineWriter;
}

interface GlyphBefore {
  glyph: string;
  style: Style;
  column: number;
  width: number;
}

export function replayCursor(target: ReplayTarget): void {
  const { core, reader, painter } = target;
  const { x, y, scrollTop } = core.buffers.active;
  const { _curAttrData: attributes, _parser: parser } = core._inputHandler;
  const { origin } = core.coreService.decPrivateModes;
  const { cols } = core;
  painter.put(charsets(core));
  if (origin) painter.put("\x1b[?6h");
  const row = y - (origin ? scrollTop : 0);
  const style = reader.style(attributes);
  const isJoinable = isAfterCharacter(parser.precedingJoinState);
  const before = x >= cols || isJoinable ? glyphBefore(core, reader, Math.min(x, cols)) : undefined;
  const joins = before !== undefined && isJoinable;
  if (joins) painter.put(cursorSequences(core));
  painter.moveTo(row, before?.column ?? Math.min(x, cols - 1));
  if (before !== undefined) print(target, before, joins ? style : undefined);
  painter.setStyle(style);
  // A sequence here makes the last character not joinable, as it was.
  if (!joins) painter.put(cursorSequences(core));
}

/** DECRC restores the table in use, not the set: where they differ, a DECRC caused it. */
function charsets(core: Core): string {
  const { charset, glevel, _charsets } = core._charsetService;
  return charsetSequences(core) + (charset === _charsets[glevel] ? "" : "\x1b8");
}

/** Undefined in the middle of a wide character. */
function glyphBefore(core: Core, reader: CellReader, column: number): GlyphBefore | undefined {
  const { lines, ybase, y } = core.buffers.active;
  let end = 0;
  const run = reader.runsToWrap(lines.get(ybase + y), core.cols).find(({ columns }) => (end += columns) >= column);
  const width = run?.wide ? 2 : 1;
  const after = (end - column) / width;
  if (run === undefined || !Number.isInteger(after)) return undefined;
  const glyph = run.loose ? run.text : ([...run.text].at(-1 - after) ?? " ");
  return { glyph: run.blank ? " \x1b[1K" : glyph, style: run.style, column: column - width, width };
}

/**
 * Prints the character before the cursor again: then a mark can join it, REP can repeat it, and the
 * next character wraps.
 */
function print({ core, painter }: ReplayTarget, before: GlyphBefore, joinable: Style | undefined): void {
  const { glyph, style, column, width } = before;
  const { glevel, charset } = core._charsetService;
  if (core.coreService.modes.insertMode && column + width < core.cols) painter.put(`\x1b[${width}P`);
  painter.setStyle(joinable ?? style);
  const isMapped = joinable === undefined && charset !== undefined;
  if (isMapped) painter.put(designate(core, glevel, undefined));
  painter.put(glyph);
  if (isMapped) painter.put(designate(core, glevel, charset));
}
