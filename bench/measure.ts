/** How every figure is measured: contestants take turns, and each is compared with the baseline of its own turn. */

/** For a quick try of all figures, or for one that takes longer. */
const ASKED = { rounds: process.env["HOLT_BENCH_ROUNDS"], mebibytes: process.env["HOLT_BENCH_MIB"] };
/** Until the pool of warm holders is full again. */
const REST_MS = 150;
const BLOCK = 50;

/** As many as a stable median takes. */
export function rounds(usual: number): number {
  return Number(ASKED.rounds ?? usual);
}

/** The size of a flood. */
export function mebibytes(usual: number): number {
  return Number(ASKED.mebibytes ?? usual);
}

export interface Sample {
  ms: number;
  /** CPU of the whole tree, where it was measured. */
  cpuMs?: number | undefined;
}

export type Contestant = () => Promise<Sample>;

export interface Standing {
  name: string;
  /** The median; `mean` counts what is rare and slow too. */
  ms: number;
  mean: number;
  cpuMs: number | null;
  /** Median of the paired ratios of time, this over the baseline. */
  ratio: number;
  low: number;
  high: number;
}

/** The first is the baseline. One unmeasured round comes before. */
export async function compare(contestants: Record<string, Contestant>, count = rounds(9)): Promise<Standing[]> {
  const names = Object.keys(contestants);
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = -1; round < count; round++) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const sample = await contestant();
      if (round >= 0) samples.get(name)?.push(sample);
    }
  }
  const baseline = samples.get(names[0] ?? "") ?? [];
  return names.map((name) => {
    const own = samples.get(name) ?? [];
    const ratios = own.map(({ ms }, i) => ms / (baseline[i]?.ms ?? Number.NaN));
    const cpu = own.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
    return {
      name,
      ms: median(own.map(({ ms }) => ms)),
      mean: mean(own.map(({ ms }) => ms)),
      cpuMs: cpu.length === 0 ? null : median(cpu),
      ratio: median(ratios),
      low: Math.min(...ratios),
      high: Math.max(...ratios),
    };
  });
}

/**
 * First each in blocks without a rest, as agents and builds call; then each after a rest, when the holders are warm.
 * Both halves have their own baseline: what the system forgets during a rest, it forgets for all.
 */
export async function compareInARowAndRested(contestants: Record<string, Contestant>): Promise<Standing[]> {
  const each = (suffix: string, changed: (contestant: Contestant) => Contestant): Record<string, Contestant> =>
    Object.fromEntries(Object.entries(contestants).map(([name, own]) => [`${name}, ${suffix}`, changed(own)]));
  return [
    ...(await compare(each("in a row", (own) => inARow(own, BLOCK)))),
    ...(await compare(each("with rests", rested), rounds(41))),
  ];
}

/** A block of turns without a rest; the sample is their mean. */
export function inARow(contestant: Contestant, times: number): Contestant {
  return async () => {
    const samples: Sample[] = [];
    for (let turn = 0; turn < times; turn++) samples.push(await contestant());
    const cpu = samples.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
    return { ms: mean(samples.map(({ ms }) => ms)), cpuMs: cpu.length === 0 ? undefined : mean(cpu) };
  };
}

function rested(contestant: Contestant): Contestant {
  return async () => {
    await Bun.sleep(REST_MS);
    return contestant();
  };
}

/** The ratio of the row of that name. */
export function ratioOf(standings: readonly Standing[], name: string): number {
  const found = standings.find((standing) => standing.name === name);
  if (found === undefined) throw new Error(`no row: ${name}`);
  return found.ratio;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export interface Place {
  cwd: string;
  env: Record<string, string>;
}

/** Runs it to the end; CPU is that of the process and everything it waited for. */
export async function timed(
  argv: string[],
  { cwd, env }: Place,
  on: "nothing" | "terminal" = "nothing",
): Promise<Sample> {
  const started = performance.now();
  const proc =
    on === "terminal"
      ? Bun.spawn(argv, { cwd, env, terminal: { cols: 80, rows: 24, data() {} } })
      : Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  const code = await proc.exited;
  const ms = performance.now() - started;
  proc.terminal?.close();
  if (code !== 0) throw new Error(`${argv.join(" ")} exited ${code}`);
  const cpu = proc.resourceUsage()?.cpuTime.total;
  return { ms, cpuMs: cpu === undefined ? undefined : Number(cpu) / 1000 };
}
