/** A command that prints and is gone at once: its last bytes are on their way when its end is known. None of them may be lost. */
import { describe, expect, test } from "bun:test";
import { Bench, HOLT } from "../support/holt.ts";
import { BusyCores } from "./busy-cores.ts";
import { inParallel, size } from "./size.ts";

const RUNS = size(75, 5000);
/** Sessions in one state directory. */
const BATCH = 50;
const AT_ONCE = 4;

interface Seen {
  bytes: Buffer;
  exitCode: number | null;
}

/** About 20 KB, or a few bytes, and in each run others. */
function textOf(run: number): string {
  if (run % 3 === 0) return `${run}`;
  const line = `run ${run} `.repeat(8);
  return Array.from({ length: 20_000 / line.length }, (_, i) => `${i} ${line}`).join("\n");
}

async function onPipes(bench: Bench, argv: string[], env: Record<string, string>): Promise<Seen> {
  const proc = Bun.spawn(argv, { env, cwd: bench.root, stdio: ["ignore", "pipe", "inherit"] });
  const bytes = Buffer.from(await new Response(proc.stdout).bytes());
  return { bytes, exitCode: await proc.exited };
}

async function onTerminal(bench: Bench, argv: string[], env: Record<string, string>): Promise<Seen> {
  const chunks: Uint8Array[] = [];
  const closed = Promise.withResolvers<void>();
  const proc = Bun.spawn(argv, {
    env,
    cwd: bench.root,
    terminal: { data: (_, bytes) => void chunks.push(bytes.slice()), exit: () => closed.resolve() },
  });
  await Promise.all([proc.exited, closed.promise]);
  proc.terminal?.close();
  return { bytes: Buffer.concat(chunks), exitCode: proc.exitCode };
}

async function runShortCommands(run: typeof onPipes, shown: (text: string) => string): Promise<void> {
  let lost = "";
  for (let first = 0; first < RUNS; first += BATCH) {
    using bench = new Bench();
    await inParallel(Math.min(BATCH, RUNS - first), AT_ONCE, async (number) => {
      const id = `run-${first + number}`;
      const text = textOf(first + number);
      const argv = [HOLT, "run", "--session-id", id, "--", "sh", "-c", `printf %s "$TEXT"; exit ${number}`];
      const seen = await run(bench, argv, { ...bench.env, TEXT: text });
      const expected = Buffer.from(shown(text));
      if (!seen.bytes.equals(expected)) lost += `${id}: ${seen.bytes.length} of ${expected.length} bytes were shown\n`;
      const stored = bench.output(id);
      if (!stored.equals(expected)) lost += `${id}: ${stored.length} of ${expected.length} bytes were stored\n`;
      expect(seen.exitCode).toBe(number);
      expect(bench.final(id)).toMatchObject({
        exit_code: number,
        output_bytes: expected.length,
        output_complete: true,
        truncated: false,
      });
    });
  }
  expect(lost).toBe("");
}

const asPrinted = (text: string): string => text;
const asOnTerminal = (text: string): string => text.replaceAll("\n", "\r\n");

describe(`of ${RUNS} short commands, every byte is shown and stored`, () => {
  test("on pipes", () => runShortCommands(onPipes, asPrinted));

  test("on a terminal", () => runShortCommands(onTerminal, asOnTerminal));

  test("on pipes, while every core is busy", async () => {
    await using _ = new BusyCores();
    await runShortCommands(onPipes, asPrinted);
  });

  test("on a terminal, while every core is busy", async () => {
    await using _ = new BusyCores();
    await runShortCommands(onTerminal, asOnTerminal);
  });
});
