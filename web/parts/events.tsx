/** The events of a session, latest first; a click shows that moment. */
import { useSignal } from "@preact/signals";
import { isBad } from "../session/track.tsx";
import { travel } from "../session/travel.ts";
import { clock } from "../state/time.ts";
import { type Mark, timeline } from "../state/timeline.ts";
import { closeOnPhone } from "./dialog.tsx";

const SHOWN = 30;
const KIND_TEXTS: Record<Mark["kind"], string> = { command: "ran", resize: "size", input: "typed", attach: "attached", exit: "ended", gap: "gap" };

export function Events({ id }: { id: string }) {
  const shownCount = useSignal(SHOWN);
  const line = timeline.value?.id === id ? timeline.value.line : null;
  if (line === null) return <p class="note">Loading…</p>;
  const marks = mergeInput(line.marks).toReversed();
  return (
    <>
      <ol class="events">
        {marks.slice(0, shownCount.value).map((mark, number) => (
          <li key={`${mark.at} ${number}`}>
            <button
              type="button"
              class="quiet"
              disabled={mark.cursor === null}
              onClick={() => {
                travel(Number(mark.cursor));
                closeOnPhone();
              }}
            >
              <time dateTime={mark.at}>{clock(Date.parse(mark.at) - Date.parse(line.starts_at))}</time>
              <span class={`kind ${isBad(mark) ? "state bad" : ""}`}>{KIND_TEXTS[mark.kind]}</span>
              <span class="what">{mark.text}</span>
            </button>
          </li>
        ))}
        <li>
          <span class="begun">
            <time dateTime={line.starts_at}>0:00</time>
            <span class="kind">started</span>
          </span>
        </li>
      </ol>
      {marks.length > shownCount.value ? (
        <button type="button" class="quiet" onClick={() => (shownCount.value += SHOWN * 5)}>
          {marks.length - shownCount.value} earlier
        </button>
      ) : null}
    </>
  );
}

/** Merges consecutive input events into one. */
function mergeInput(marks: readonly Mark[]): Mark[] {
  return marks.filter(({ kind }, at) => kind !== "input" || marks[at + 1]?.kind !== "input");
}
