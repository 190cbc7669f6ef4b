/** A terminal of one column was said to have two, which is the least that the emulator has: who drew the screen by that drew another one. */
import { expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

interface Shown {
  cols: number;
  col: number;
  lines: { text: string; columns: number }[][];
}

test.each([1, 2, 80])("holt screen --json says that a terminal of %i columns has so many", async (cols) => {
  using bench = new Bench();
  const started = await bench.run(["start", "--size", `${cols}x3`, "--", "sh", "-c", "echo ready; exec sleep 600"]);
  const id = started.text.trim();
  await until("it has printed", () => bench.output(id).includes("ready"));
  const shown = async (): Promise<Shown> => JSON.parse((await bench.run(["screen", "--json", id])).text) as Shown;
  const live = await shown();
  await bench.run(["kill", id]);
  for (const screen of [live, await shown()]) {
    expect(screen.cols).toBe(cols);
    expect(screen.col).toBeLessThan(cols);
    for (const runs of screen.lines) expect(runs.reduce((sum, { columns }) => sum + columns, 0)).toBe(cols);
  }
});
