/** Results as Markdown: the tables of bench/results.md. */
import type { Measured } from "./bar.ts";
import type { Standing } from "./measure.ts";

export interface Section {
  title: string;
  /** What is compared with what, and how. */
  about: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** What it says of the bar. */
  bar?: Measured;
}

export function standings(
  title: string,
  about: string,
  results: readonly Standing[],
  extra?: (standing: Standing) => string,
): Section {
  const withCpu = results.some(({ cpuMs }) => cpuMs !== null);
  return {
    title,
    about,
    head: ["", "median", "of the baseline", "range", ...(withCpu ? ["CPU"] : []), ...(extra ? ["rate"] : [])],
    rows: results.map((standing) => [
      standing.name,
      ms(standing.ms),
      standing.ratio.toFixed(2),
      `${standing.low.toFixed(2)} – ${standing.high.toFixed(2)}`,
      ...(withCpu ? [standing.cpuMs === null ? "" : ms(standing.cpuMs)] : []),
      ...(extra ? [extra(standing)] : []),
    ]),
  };
}

export function ms(value: number): string {
  if (value >= 100) return `${Math.round(value)} ms`;
  return value >= 1 ? `${value.toFixed(1)} ms` : `${(value * 1000).toFixed(0)} µs`;
}

export function markdown({ title, about, head, rows }: Section): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [`## ${title}`, "", about, "", line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}
