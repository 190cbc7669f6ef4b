/** A command's result in one call, against the least that running it can cost. */
import { compare, compareInARowAndRested, inARow, ratioOf, rounds, type Sample, timed } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section, standings } from "./table.ts";

const BLOCK = 50;
const BLOCKS = 10;

export async function execRun(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  await stage.tmux("new-session", "-d", "sleep 600");
  using client = await stage.client();
  const { cwd } = stage;
  const run = () => answered(() => client.call("exec.run", { args: ["true"], cwd }));
  const results = await compareInARowAndRested({
    "bare `Bun.spawn` of `true`, its output read": () => bare(["true"]),
    "bare `Bun.spawn` of `sh -c true`": () => bare(["sh", "-c", "true"]),
    "`sh -c true` in C: fork, exec, wait": () => inC(`${bin}/sh-true`),
    '`exec.run` with `args: ["true"]`': run,
    '`exec.run` with `command: "true"`': () =>
      answered(() => client.call("exec.run", { command: "true", cwd, env: { SHELL: "/bin/sh" } })),
    "`shell.run` of `true`": () => answered(() => client.call("shell.run", { argv: ["true"], cwd })),
  });
  const tmux = () => timed([...stage.tmuxCommand, "new-session", "-d", "true"], stage);
  const blocks = rounds(BLOCKS);
  const steady = await compare(
    { "`tmux new-session -d true`": inARow(tmux, BLOCK), '`exec.run` with `args: ["true"]`': inARow(run, BLOCK) },
    blocks,
  );
  const ofTmux = (mean: number): number => mean / (steady[0]?.mean ?? Number.NaN);
  return [
    {
      ...standings(
        "A command's result in one call",
        "Over the daemon's socket, until the answer with its exit code and output is there; a durable session each. In a row: blocks of 50 without a rest. With rests: each after 150 ms, when the holders are warm.",
        results,
      ),
      bar: {
        execInARow: ratioOf(results, '`exec.run` with `args: ["true"]`, in a row'),
        execRested: ratioOf(results, '`exec.run` with `args: ["true"]`, with rests'),
      },
    },
    {
      title: "Steady",
      about: `${blocks * BLOCK} times one after the other, the calls on one connection, in ${blocks} blocks of ${BLOCK} that take turns: the mean of all, and the range of the blocks' ratios.`,
      head: ["", "mean", "of the baseline", "range"],
      rows: steady.map(({ name, mean, low, high }) => [
        name,
        ms(mean),
        ofTmux(mean).toFixed(2),
        `${low.toFixed(2)} – ${high.toFixed(2)}`,
      ]),
      bar: { steady: ofTmux(steady[1]?.mean ?? Number.NaN) },
    },
  ];
}

async function bare(argv: string[]): Promise<Sample> {
  const started = performance.now();
  const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  await Promise.all([proc.stdout.bytes(), proc.stderr.bytes(), proc.exited]);
  return { ms: performance.now() - started };
}

/** The program measures itself: the time of its own start is left out. */
async function inC(program: string): Promise<Sample> {
  const proc = Bun.spawn([program], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  return { ms: Number(await new Response(proc.stdout).text()) };
}

async function answered(call: () => Promise<{ exit_code: number | null } | { rc: number }>): Promise<Sample> {
  const started = performance.now();
  const result = await call();
  const elapsed = performance.now() - started;
  if (("rc" in result ? result.rc : result.exit_code) !== 0) throw new Error("the command failed");
  return { ms: elapsed };
}
