/** More output than anybody wants to keep: what is kept is exact, the holder stays small, and the latest is always to be seen. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Detached } from "./detached.ts";
import { privateMemory } from "./processes.ts";
import { size, until } from "./size.ts";
import { readStored } from "./transcript-check.ts";

const PRINTED = size(160_000_000, 10_000_000_000);
const KEPT = 64 * 1024 * 1024;
const MAX_MEMORY_KB = 150 * 1024;

/** Numbers would tell where it was cut, but cost more to make than to keep: a line of 98 bytes, on the terminal with its CR. */
const LINE = "the quick brown fox jumps over the lazy dog, again and again and again, until the disk is full ...";

test.each([
  ["nobody attached", { watchers: 0, options: ["--no-pty"] }],
  ["nobody attached, on a terminal", { watchers: 0, options: [] }],
  ["somebody attached and a screen", { watchers: 2, options: [] }],
])("with %s", async (_, { watchers: count, options }) => {
  using bench = new Detached();
  const isTerminal = options.length === 0;
  const flood = `until [ -e go ]; do sleep 0.02; done; yes '${LINE}' | head -c ${PRINTED}; printf '\\r\\nthe last line\\r\\n'; until [ -e end ]; do sleep 0.05; done`;
  const id = await bench.start(`stty -opost 2>/dev/null; echo ready; ${flood}`, [
    "--max-output-bytes",
    String(KEPT),
    "--cwd",
    bench.root,
    ...options,
  ]);
  await until("it runs", () => bench.output(id).includes("ready"));
  const watchers = await Promise.all(Array.from({ length: count }, () => bench.watch(id)));
  try {
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, privateMemory(bench.holder(id)));
    }, 50);
    await Bun.write(join(bench.root, "go"), "");
    const { output_bytes: before } = bench.session(id);
    expect(before).toBeLessThan(100);
    const end = `ready\n`.length + PRINTED + "\r\nthe last line\r\n".length;
    await bench.run(["wait", id, "--until", "match=the last line", "--timeout", "3600s"]);
    clearInterval(watching);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MAX_MEMORY_KB);
    for (const watcher of watchers) await watcher.sees("the last line", 60_000);
    if (isTerminal) expect((await bench.run(["screen", id])).text).toContain("the last line");
    await Bun.write(join(bench.root, "end"), "");
    for (const watcher of watchers) expect(await watcher.over()).toMatchObject({ type: "end" });
    await bench.run(["wait", id]);

    expect(bench.final(id)).toMatchObject({ exit_code: 0, output_complete: true });
    expect(bench.session(id).output_bytes).toBe(end);
    expect(statSync(join(bench.state, "sessions", id, "output.bin")).size).toBe(KEPT);
    const stored = readStored(bench, id, 1024 * 1024);
    expect(stored.gaps).toEqual([{ from: KEPT, to: end }]);
    const bytes = Buffer.concat(stored.pieces.map((piece) => piece.bytes));
    const expected = `ready\n${`${LINE}\n`.repeat(KEPT / LINE.length + 1)}`.slice(0, KEPT);
    expect(bytes.equals(Buffer.from(expected))).toBe(true);
  } finally {
    for (const watcher of watchers) watcher[Symbol.dispose]();
    await bench.end(id);
  }
});
