/** The end of a replay: the cursor, and what the next character will look like and where it will go. */
import type { CellReader } from "./emulator-cells.ts";
import { charsetSequences, designate } from "./emulator-charsets.ts";
import type { Core } from "./emulator-core.ts";
import type { LineWriter } from "./emulator-line-writer.ts";
import { isAfterCharacter } from "./emulator-widths.ts";
import { cursorSequences } from "./replay-sequences.ts";
import type { Style } from "../screen/screen.ts";

interface Drawn {
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

export function replayCursor(drawn: Drawn): void {
  const { core, reader, painter } = drawn;
  const { x, y, scrollTop } = core.buffers.active;
  const { _curAttrData: attributes, _parser: parser } = core._inputHandler;
  const { origin } = core.coreService.decPrivateModes;
  const { cols } = core;
  painter.put(charsets(core));
  if (origin) painter.put("\x1b[?6h");
  const row = y - (origin ? scrollTop : 0);
  const style = reader.style(attributes);
  const isAfter = isAfterCharacter(parser.precedingJoinState);
  const before = x >= cols || isAfter ? glyphBefore(core, reader, Math.min(x, cols)) : undefined;
  const joins = before !== undefined && isAfter;
  if (joins) painter.put(cursorSequences(core));
  painter.moveTo(row, before?.column ?? Math.min(x, cols - 1));
  if (before !== undefined) print(drawn, before, joins ? style : undefined);
  painter.setStyle(style);
  // After a character that nothing may join, there is a sequence.
  if (!joins) painter.put(cursorSequences(core));
}

/** DECRC brings back the table in use, not the set it came from: where they differ, a DECRC made the difference. */
function charsets(core: Core): string {
  const { charset, glevel, _charsets } = core._charsetService;
  return charsetSequences(core) + (charset === _charsets[glevel] ? "" : "\x1b8");
}

/** None in the middle of a wide one. */
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

/** The character before the cursor once more: a mark can join it then, REP repeat it, and the next one wraps. */
function print({ core, painter }: Drawn, before: GlyphBefore, joinable: Style | undefined): void {
  const { glyph, style, column, width } = before;
  const { glevel, charset } = core._charsetService;
  if (core.coreService.modes.insertMode && column + width < core.cols) painter.put(`\x1b[${width}P`);
  painter.setStyle(joinable ?? style);
  const isMapped = joinable === undefined && charset !== undefined;
  if (isMapped) painter.put(designate(core, glevel, undefined));
  painter.put(glyph);
  if (isMapped) painter.put(designate(core, glevel, charset));
}
