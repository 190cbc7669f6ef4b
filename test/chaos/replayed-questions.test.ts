/** A transcript full of what programs ask their terminals: whoever is shown it again, in whatever way, types nothing into the program. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached } from "./detached.ts";
import { size, until } from "./size.ts";

const QUESTIONS = [
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[=c",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[?15n",
  "\x1b[?996n",
  "\x1b[4$p",
  "\x1b[?2004$p",
  "\x1b[?1049$p",
  "\x1b[?2026$p",
  "\x1bP$qm\x1b\\",
  "\x1bP$qr\x1b\\",
  "\x1bP$q q\x1b\\",
  "\x1b[>q",
  "\x1bP+q544e\x1b\\",
  "\x1bP+q524742;5463\x1b\\",
  "\x1b]4;1;?\x07",
  "\x1b]10;?\x1b\\",
  "\x1b]11;?\x07",
  "\x1b]12;?\x1b\\",
  "\x1b]52;c;?\x07",
  "\x1b[14t",
  "\x1b[16t",
  "\x1b[18t",
  "\x1b[19t",
  "\x1b[20t",
  "\x1b[21t",
  "\x1b[?u",
  "\x05",
  "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
  "\x1b[x",
  "\x1bZ",
  "\x1b[1;1;1;1;1;1*y",
];

const soup = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...QUESTIONS) }, { weight: 1, arbitrary: fc.string() }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

/** Prints the pieces one by one, and keeps all that it is sent. */
const script = (pieces: number): string =>
  `stty raw -echo; exec 3<&0; cat <&3 > typed &
   for i in $(seq 0 ${pieces - 1}); do cat piece$i; done; printf ready > printed; wait`;

let marks = 0;

/** Everything, up to a new mark: answers are in the order of the questions, and so is what comes behind them. */
async function typedInto(bench: Detached, id: string): Promise<{ typed: string; mark: string }> {
  const file = join(bench.root, "typed");
  const mark = `<mark ${++marks}>`;
  await bench.run(["send", id, "--text", mark]);
  await until("the mark arrived", () => existsSync(file) && readFileSync(file, "latin1").endsWith(mark));
  return { typed: readFileSync(file, "latin1"), mark };
}

test("no replay types anything into the program", async () => {
  await fc.assert(
    fc.asyncProperty(soup, fc.integer({ min: 1, max: 50 }), async (text, step) => {
      using bench = new Detached();
      const bytes = Buffer.from(text);
      const count = Math.min(40, Math.ceil(bytes.length / step));
      for (let i = 0; i < count; i++)
        await Bun.write(
          join(bench.root, `piece${i}`),
          bytes.subarray(i * step, i === count - 1 ? bytes.length : (i + 1) * step),
        );
      const id = await bench.start(script(count), ["--cwd", bench.root]);
      try {
        await until("all is printed", () => existsSync(join(bench.root, "printed")));
        await until(
          "all is captured",
          () => statSync(join(bench.state, "sessions", id, "output.bin")).size >= bytes.length,
        );
        let { typed: before } = await typedInto(bench, id);
        for (const [replay, cursor] of [["screen"], ["raw"], ["none"], ["none", "0"], ["none", "1"]] as const) {
          using watcher = await bench.watch(id, {
            replay,
            raw_bytes: 1_000_000,
            scrollback: 1000,
            size: { cols: 80, rows: 24, width: 0, height: 0 },
            ...(cursor === undefined ? {} : { cursor }),
          });
          await until("it is replayed", () => watcher.replays.length > 0);
          const { typed, mark } = await typedInto(bench, id);
          expect(typed).toBe(before + mark);
          before = typed;
        }
      } finally {
        await bench.end(id);
      }
    }),
    { numRuns: size(8, 300) },
  );
});

test.each(["screen", "raw", "none"])("a person's terminal is asked nothing (--replay %s)", async (replay) => {
  using bench = new Detached();
  await Bun.write(join(bench.root, "piece0"), `${QUESTIONS.join("text")}\r\nthe last line`);
  const id = await bench.start(script(1), ["--cwd", bench.root]);
  await until("all is printed", () => existsSync(join(bench.root, "printed")));
  const { typed: before } = await typedInto(bench, id);
  await using user = new TerminalUser([HOLT, "attach", "--replay", replay, id], {
    env: bench.env,
    cwd: bench.root,
    cols: 80,
    rows: 24,
  });
  await until("it is attached", () => bench.events(id).some(({ type }) => type === "attach"));
  if (replay !== "none") await user.sees("the last line");
  user.type("\x1cd");
  expect(await user.exit()).toMatchObject({ exitCode: 0 });
  expect(QUESTIONS.filter((question) => user.text.includes(question))).toEqual([]);
  const { typed, mark } = await typedInto(bench, id);
  expect(typed).toBe(before + mark);
  await bench.end(id);
});
