/** A small chart of a session's processor time and memory. */
import type { Sample } from "../state/app.ts";
import { bytes } from "../state/time.ts";

const [WIDTH, HEIGHT, COUNT] = [60, 14, 60];

/** Bars: processor time of the last two minutes. Line: memory. */
export function Sparkline({ samples }: { samples: readonly Sample[] }) {
  if (samples.length < 2) return null;
  const maxCpu = Math.max(1, ...samples.map(({ cpu }) => cpu));
  const maxMemory = Math.max(1, ...samples.map(({ memory }) => memory));
  const from = COUNT - samples.length;
  const last = samples.at(-1) ?? { cpu: 0, memory: 0 };
  const label = `CPU ${Math.round(last.cpu * 100)} %, memory ${bytes(last.memory)}`;
  const line = samples.map(({ memory }, at) => `${from + at},${(HEIGHT - 1 - (memory / maxMemory) * (HEIGHT - 3)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      {samples.map(({ cpu }, at) => {
        const height = Math.max(0.5, (cpu / maxCpu) * HEIGHT);
        return <rect key={at} x={from + at} y={HEIGHT - height} width="0.8" height={height} />;
      })}
      <polyline points={line.join(" ")} />
    </svg>
  );
}
