/** The timeline below the terminal. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { isLive, moment, type Session } from "../state/app.ts";
import { clock } from "../state/time.ts";
import { type Timeline, timeline } from "../state/timeline.ts";
import { Icon } from "../parts/icon.tsx";
import { TimelineScale } from "./timeline-scale.ts";
import { isPlaying, SPEEDS, speed } from "./playback.ts";
import { Track } from "./track.tsx";
import { commandCursors, step, togglePlay, travel, travelAlong } from "./travel.ts";

/** A drag to the end means the live terminal. */
const END_FROM = 0.995;
const STEPS: Record<string, number> = { ArrowLeft: -0.01, ArrowRight: 0.01, PageUp: -0.1, PageDown: 0.1 };

export function TimelineBar({ session }: { session: Session }) {
  const loaded = timeline.value;
  if (loaded?.id !== session.session_id) return <div class="timeline" />;
  return <LoadedTimeline session={session} line={loaded.line} />;
}

function LoadedTimeline({ session, line }: { session: Session; line: Timeline }) {
  const scale = useMemo(() => new TimelineScale(line), [line]);
  const shownMoment = moment.value?.id === session.session_id ? moment.value : null;
  const cursor = shownMoment?.cursor ?? null;
  const position = shownMoment === null ? 1 : shownMoment.at === undefined ? scale.positionOf(shownMoment.cursor) : scale.positionAt(shownMoment.at);
  const hasCommands = commandCursors().length > 0;
  return (
    <div class="timeline" role="group" aria-label="Timeline">
      <button type="button" class="quiet square" aria-label={isPlaying.value ? "Pause" : "Play"} onClick={togglePlay}>
        <Icon name={isPlaying.value ? "pause" : "play"} />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Speed: ${speed.value} times`}
        onClick={() => (speed.value = SPEEDS[(SPEEDS.indexOf(speed.value) + 1) % SPEEDS.length] ?? 1)}
      >
        {speed.value}×
      </button>
      {hasCommands ? (
        <>
          <button type="button" class="quiet square" aria-label="To the command before" onClick={() => step(-1)}>
            <Icon name="before" />
          </button>
          <button type="button" class="quiet square" aria-label="To the next command" onClick={() => step(1)}>
            <Icon name="after" />
          </button>
        </>
      ) : null}
      <Slider line={line} scale={scale} cursor={cursor} position={position} />
      <output class="moment">{cursor === null ? (isLive(session) ? "live" : "end") : clock(scale.timeAt(position) - scale.from)}</output>
      {cursor === null ? null : (
        <button type="button" class="accent" onClick={() => travel(null)}>
          {isLive(session) ? "Live" : "End"}
        </button>
      )}
    </div>
  );
}

function Slider({ line, scale, cursor, position }: { line: Timeline; scale: TimelineScale; cursor: number | null; position: number }) {
  const box = useRef<HTMLDivElement>(null);
  const isPast = cursor !== null;
  useEffect(() => {
    // After a jump to a hit or a command, the arrow and End keys work here.
    if (isPast && document.activeElement?.closest("dialog, nav") == null) box.current?.focus({ preventScroll: true });
  }, [isPast]);
  const goTo = (to: number): void => (to >= END_FROM ? travel(null) : travelAlong(scale, Math.max(0, to)));
  const drag = (event: PointerEvent): void => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    goTo((event.clientX - left) / width);
  };
  return (
    <div
      class="track"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={scale.end}
      aria-valuenow={cursor ?? scale.end}
      aria-valuetext={cursor === null ? "now" : `${clock(scale.timeAt(position) - scale.from)} after the start`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) drag(event);
      }}
      onKeyDown={(event) => {
        const by = STEPS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        goTo(position + by);
      }}
    >
      <Track line={line} scale={scale} />
      <span class="here" style={{ left: `${position * 100}%` }} />
    </div>
  );
}
