/** What it costs to be there at all. */
import { compare, median, quantile, ratioOf, rounds, timed } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section, standings } from "./table.ts";

export async function start(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const version = await compare(
    { "`true`": () => timed(["true"], stage), "`holt version`": () => timed([holt, "version"], stage) },
    rounds(25),
  );
  const run = await compare(
    {
      "`script -qec true /dev/null`": () => timed(["script", "-qec", "true", "/dev/null"], stage, "terminal"),
      "`true`": () => timed(["true"], stage, "terminal"),
      "`holt run -- true`, on a terminal": () => timed([holt, "run", "--", "true"], stage, "terminal"),
      "`holt run -- true`, on pipes": () => timed([holt, "run", "--", "true"], stage),
    },
    rounds(25),
  );
  const script: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < rounds(25); round++) {
    script.push(await firstByte(["script", "-qec", "echo x; sleep 0.1", "/dev/null"], stage));
    own.push(await firstByte([holt, "run", "--", "sh", "-c", "echo x; sleep 0.1"], stage));
  }
  const firsts = (name: string, values: number[]): string[] => [name, ms(median(values)), ms(quantile(values, 0.9))];
  return [
    standings("Cold start", "The executable, started to print its version.", version),
    {
      ...standings(
        "A session",
        "A whole durable session around `true` (its record on disk and fsynced), against what `script` does.",
        run,
      ),
      bar: { run: ratioOf(run, "`holt run -- true`, on a terminal") },
    },
    {
      title: "First byte",
      about: "From the start of the program to the first byte of the command on your terminal.",
      head: ["", "median", "p90"],
      rows: [firsts("`script`", script), firsts("`holt run`", own)],
    },
  ];
}

async function firstByte(argv: string[], { cwd, env }: Stage): Promise<number> {
  const started = performance.now();
  let first = 0;
  const data = (): void => {
    first ||= performance.now();
  };
  const proc = Bun.spawn(argv, { cwd, env, terminal: { cols: 80, rows: 24, data } });
  await proc.exited;
  proc.terminal?.close();
  return first - started;
}
