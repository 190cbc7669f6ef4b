/** How every figure is measured: contestants take turns, and each is compared with the baseline of its own turn. */

export const ROUNDS = Number(process.env["HOLT_BENCH_ROUNDS"] ?? 9);

export interface Sample {
  ms: number;
  /** CPU of the whole tree, where it was measured. */
  cpuMs?: number;
}

export type Contestant = () => Promise<Sample>;

export interface Standing {
  name: string;
  ms: number;
  cpuMs: number | null;
  /** Median of the paired ratios of time, this over the baseline. */
  ratio: number;
  low: number;
  high: number;
}

/** The first is the baseline. One unmeasured round comes before. */
export async function compare(contestants: Record<string, Contestant>, rounds = ROUNDS): Promise<Standing[]> {
  const names = Object.keys(contestants);
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
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
      cpuMs: cpu.length === 0 ? null : median(cpu),
      ratio: median(ratios),
      low: Math.min(...ratios),
      high: Math.max(...ratios),
    };
  });
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Runs it to the end; CPU is that of the process and everything it waited for. */
export async function timed(
  argv: string[],
  options: { terminal?: boolean; env?: Record<string, string>; cwd: string },
): Promise<Sample> {
  // Settings of the benchmark itself are not those of what it measures.
  const inherited = Object.entries(process.env as Record<string, string>).filter(([key]) => !key.startsWith("HOLT_"));
  const env = { ...Object.fromEntries(inherited), ...options.env };
  const started = performance.now();
  const proc = options.terminal
    ? Bun.spawn(argv, { cwd: options.cwd, env, terminal: { cols: 80, rows: 24, data() {} } })
    : Bun.spawn(argv, { cwd: options.cwd, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  const code = await proc.exited;
  const ms = performance.now() - started;
  proc.terminal?.close();
  if (code !== 0) throw new Error(`${argv.join(" ")} exited ${code}`);
  const cpu = proc.resourceUsage()?.cpuTime.total;
  return cpu === undefined ? { ms } : { ms, cpuMs: Number(cpu) / 1000 };
}
