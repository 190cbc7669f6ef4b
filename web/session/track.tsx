/** The bars and marks of the timeline. They change with the session, not with the shown moment. */
import { useMemo } from "preact/hooks";
import { BUCKETS, type Mark, type Timeline } from "../state/timeline.ts";
import type { TimelineScale } from "./timeline-scale.ts";

const HEIGHT = 32;
const MIN_HEIGHT = 3;
const KIND_TEXTS: Record<Mark["kind"], string> = { command: "command", resize: "size", input: "typed", attach: "attached", exit: "end", gap: "gap" };

export function Track({ line, scale }: { line: Timeline; scale: TimelineScale }) {
  return useMemo(() => {
    const maxLog = Math.log1p(Math.max(1, ...line.buckets.map(({ bytes }) => bytes)));
    return (
      <>
        <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {line.buckets.map(({ at, bytes }) => {
            const height = MIN_HEIGHT + ((HEIGHT - 2 * MIN_HEIGHT) * Math.log1p(bytes)) / maxLog;
            return <rect key={at} x={scale.position(at) * 1000} y={HEIGHT - height} width={1000 / BUCKETS} height={height} />;
          })}
        </svg>
        {line.marks.map((mark, number) => (
          <span
            key={`${mark.kind} ${mark.at} ${number}`}
            class={`mark ${mark.kind} ${isBad(mark) ? "bad" : ""}`}
            style={{ left: `${scale.position(mark.at) * 100}%` }}
            title={`${KIND_TEXTS[mark.kind]}: ${mark.text}`}
          />
        ))}
      </>
    );
  }, [line]);
}

export function isBad({ exit_code }: Mark): boolean {
  return exit_code != null && exit_code !== 0;
}
