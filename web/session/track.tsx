/** How much a session printed when, as bars, with marks for what happened: they change with the session, not with who travels. */
import { useMemo } from "preact/hooks";
import { BUCKETS, type Mark, type Timeline } from "../state/timeline.ts";
import type { Along } from "./along.ts";

const HEIGHT = 32;
const LEAST = 3;
const SIGNS: Record<Mark["kind"], string> = { command: "command", resize: "size", input: "typed", attach: "attached", exit: "end", gap: "gap" };

export function Track({ line, along }: { line: Timeline; along: Along }) {
  return useMemo(() => {
    const most = Math.log1p(Math.max(1, ...line.buckets.map(({ bytes }) => bytes)));
    return (
      <>
        <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {line.buckets.map(({ at, bytes }) => {
            const height = LEAST + ((HEIGHT - 2 * LEAST) * Math.log1p(bytes)) / most;
            return <rect key={at} x={along.place(at) * 1000} y={HEIGHT - height} width={1000 / BUCKETS} height={height} />;
          })}
        </svg>
        {line.marks.map((mark, number) => (
          <span
            key={`${mark.kind} ${mark.at} ${number}`}
            class={`mark ${mark.kind} ${isBad(mark) ? "bad" : ""}`}
            style={{ left: `${along.place(mark.at) * 100}%` }}
            title={`${SIGNS[mark.kind]}: ${mark.text}`}
          />
        ))}
      </>
    );
  }, [line]);
}

export function isBad({ exit_code }: Mark): boolean {
  return exit_code != null && exit_code !== 0;
}
