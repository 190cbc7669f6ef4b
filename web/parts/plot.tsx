/** A chart of one value over time, with its maximum and its last value. */
const [WIDTH, HEIGHT] = [400, 56];

export interface PlotProps {
  label: string;
  values: readonly number[];
  /** Smallest value that the full height stands for. */
  minScale: number;
  format: (value: number) => string;
}

export function Plot({ label, values, minScale, format }: PlotProps) {
  const maxValue = Math.max(minScale, ...values);
  const last = values.at(-1) ?? 0;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 1 - (value / maxValue) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <figure class="plot">
      <figcaption>
        <span>{label}</span>
        <span class="figures">
          {format(last)}, at most {format(Math.max(0, ...values))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${format(last)}`}>
        <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}
