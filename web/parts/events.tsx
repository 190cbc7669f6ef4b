/** What happened to a session, the last first; a press goes to that moment. */
import { useSignal } from "@preact/signals";
import { isBad } from "../session/track.tsx";
import { travel } from "../session/travel.ts";
import { clock } from "../state/time.ts";
import { type Mark, timeline } from "../state/timeline.ts";
import { closeOnPhone } from "./dialog.tsx";

const SHOWN = 30;
const WORDS: Record<Mark["kind"], string> = { command: "ran", resize: "size", input: "typed", attach: "attached", exit: "ended", gap: "gap" };

export function Events({ id }: { id: string }) {
  const most = useSignal(SHOWN);
  const line = timeline.value?.id === id ? timeline.value.line : null;
  if (line === null) return <p class="note">Looking…</p>;
  const marks = together(line.marks).toReversed();
  return (
    <>
      <ol class="events">
        {marks.slice(0, most.value).map((mark, number) => (
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
              <span class={`kind ${isBad(mark) ? "state bad" : ""}`}>{WORDS[mark.kind]}</span>
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
      {marks.length > most.value ? (
        <button type="button" class="quiet" onClick={() => (most.value += SHOWN * 5)}>
          {marks.length - most.value} earlier
        </button>
      ) : null}
    </>
  );
}

/** Of what was typed key by key, one. */
function together(marks: readonly Mark[]): Mark[] {
  return marks.filter(({ kind }, at) => kind !== "input" || marks[at + 1]?.kind !== "input");
}
