/** The view of one session: bar, terminal or output, timeline. */
import { useRef } from "preact/hooks";
import { moment, type Session } from "../state/app.ts";
import { Bar } from "./bar.tsx";
import { Find, isFinding } from "./find.tsx";
import { Live } from "./live.tsx";
import { Output } from "./output.tsx";
import { Past } from "./past.tsx";
import { shownPast } from "./playback.ts";
import { TimelineBar } from "./timeline.tsx";

export function SessionView({ session }: { session: Session }) {
  const { session_id: id, transport_mode } = session;
  const past = moment.value?.id === id ? moment.value.cursor : null;
  /** The terminal of the past stays for the next moment. */
  const travelled = useRef<number | null>(null);
  if (past !== null) travelled.current = past;
  const hasTerminal = transport_mode !== "pipe";
  const isPast = past !== null && shownPast.value?.id === id;
  return (
    <main class="session" key={id} aria-label={`Session ${id}`}>
      <Bar session={session} />
      <div class="stage">
        {isFinding.value ? <Find /> : null}
        {hasTerminal ? <Live key={id} session={session} isShown={!isPast} /> : <Output key={id} session={session} />}
        {hasTerminal && travelled.current !== null ? (
          <Past key={`${id} past`} session={session} cursor={travelled.current} isShown={isPast} />
        ) : null}
      </div>
      {hasTerminal ? <TimelineBar key={`${id} timeline`} session={session} /> : null}
    </main>
  );
}
