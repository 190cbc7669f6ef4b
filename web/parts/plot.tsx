/** A figure over time, with its largest and its last. */
const [WIDTH, HEIGHT] = [400, 56];

export interface PlotProps {
  label: string;
  values: readonly number[];
  /** The least that the height stands for. */
  least: number;
  said: (value: number) => string;
}

export function Plot({ label, values, least, said }: PlotProps) {
  const most = Math.max(least, ...values);
  const last = values.at(-1) ?? 0;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <figure class="plot">
      <figcaption>
        <span>{label}</span>
        <span class="figures">
          {said(last)}, at most {said(Math.max(0, ...values))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${said(last)}`}>
        <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}
