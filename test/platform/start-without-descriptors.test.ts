/**
 * A start on a terminal that failed halfway (no descriptor or process left) left the terminal and up
 * to three pipes open. A holder that restarts its command repeatedly ran out of descriptors.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { collect } from "../support/holt.ts";

const SCRIPT = join(import.meta.dir, "start-without-descriptors.ts");
const FREE = [0, 1, 2, 3, 4, 5, 6, 7, 32];

test("a start on a terminal that fails leaves no descriptor open", async () => {
  const line = `ulimit -n 256; exec "$0" ${SCRIPT} ${FREE.join(" ")}`;
  const argv = ["bash", "-c", line, process.execPath];
  const { text, stderr } = await collect(argv, { stdin: "", env: process.env as Record<string, string>, cwd: "/" });
  const told = text
    .trim()
    .split("\n")
    .map((shown) => JSON.parse(shown) as unknown);
  const outcome = (free: number): string => (free < 8 ? "EMFILE" : "refused");
  expect({ told, stderr }).toEqual({
    told: FREE.map((free) => ({ free, outcome: outcome(free), left: free })),
    stderr: "",
  });
});
