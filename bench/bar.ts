/** What holt promises of its speed and size, and whether the figures of this run keep it. */
import type { Section } from "./table.ts";

type Limit = { atMost: number } | { atLeast: number };

/** One line each, in the order of the table. A figure's section names the lines that it measures. */
const LINES = {
  startInARow: ["`holt start -- true`, in a row", "`tmux new-session -d true`", { atMost: 3 }],
  startRested: ["`holt start -- true`, with rests", "`tmux new-session -d true`", { atMost: 3 }],
  pipesInARow: ["warm start to exit of `true` on pipes, in a row", "bare `Bun.spawn`", { atMost: 4 }],
  pipesRested: ["warm start to exit of `true` on pipes, with rests", "bare `Bun.spawn`", { atMost: 4 }],
  terminalInARow: ["warm start to exit of `true` on a terminal, in a row", "bare `Bun.spawn`", { atMost: 4 }],
  terminalRested: ["warm start to exit of `true` on a terminal, with rests", "bare `Bun.spawn`", { atMost: 4 }],
  execInARow: ["`exec.run` of `true`, in a row", "bare `Bun.spawn`, its output read", { atMost: 4 }],
  execRested: ["`exec.run` of `true`, with rests", "bare `Bun.spawn`, its output read", { atMost: 4 }],
  steady: ["steady: 500 `exec.run` of `true`, mean", "`tmux new-session -d true`", { atMost: 1.5 }],
  run: ["`holt run -- true`", "`script -qec true /dev/null`", { atMost: 2.5 }],
  echo: ["echo through `holt attach`, p50", "`tmux attach`", { atMost: 3.5 }],
  echoLate: ["echo through `holt attach`, p99", "`tmux attach`", { atMost: 6 }],
  capture: ["speed of capture, without newlines", "C loop", { atLeast: 0.9 }],
  captureLines: ["speed of capture, in lines of 80", "C loop", { atLeast: 0.9 }],
  calls: ["rate of `health.info`, 1 client", "C echo", { atLeast: 0.5 }],
  callsOfMany: ["rate of `health.info`, 32 clients", "C echo", { atLeast: 0.2 }],
  idleOnPipes: ["private memory of an idle holder on pipes, in MB", "", { atMost: 5.5 }],
  idleOnTerminal: ["private memory of an idle holder on a terminal, in MB", "", { atMost: 5.5 }],
} as const satisfies Record<string, readonly [figure: string, baseline: string, limit: Limit]>;

/** What a section measured of the lines above. */
export type Measured = Partial<Record<keyof typeof LINES, number>>;

/** The figures of main.ts that measure all lines. */
export const BAR_FIGURES = ["start", "capture", "memory", "daemon", "exec", "rates", "echo"];

export function barSection(sections: readonly Section[]): Section {
  const measured: Measured = Object.assign({}, ...sections.map(({ bar }) => bar));
  return {
    title: "The bar",
    about:
      "One ratio a row, all of this run: what holt takes over what the baseline takes, or its speed over the baseline's.",
    head: ["", "baseline", "ratio", "bar", "holds"],
    rows: Object.entries(LINES).map(([line, [figure, baseline, limit]]) => {
      const value = measured[line as keyof typeof LINES];
      const [bar, holds] =
        "atMost" in limit
          ? [`≤ ${limit.atMost}`, (own: number) => own <= limit.atMost]
          : [`≥ ${limit.atLeast}`, (own: number) => own >= limit.atLeast];
      if (value === undefined) return [figure, baseline, "", bar, "not measured"];
      return [figure, baseline, value.toFixed(2), bar, holds(value) ? "yes" : "**no**"];
    }),
  };
}
