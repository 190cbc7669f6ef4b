/** What hostile output could do to xterm: run it for minutes, fill the memory, or make it throw. */
import type { Core, CoreLine, Parameters } from "./emulator-core.ts";

/** Marks on one character, so that endless marks stay bounded. */
const MAX_GLYPH = 64;
const guarded = new WeakSet<object>();

/** All lines share a prototype, so it is done once. */
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
  // Each of these repeats its work as often as it is told.
  limit("LMST", () => core.rows);
  limit("IZ", () => core.cols);
  limit("b", () => core.cols * core.rows);
  for (const prefix of ["", "?"]) {
    core.registerCsiHandler({ ...(prefix === "" ? {} : { prefix }), final: "J" }, (parameters) =>
      eraseAbove(core, parameters, prefix === "?"),
    );
  }
}

function clamp({ params }: Parameters, most: number): false {
  params[0] = Math.min(params[0] ?? 0, most);
  return false;
}

/** At the right edge xterm looks for the line below the cursor where there may be none, and throws. */
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
