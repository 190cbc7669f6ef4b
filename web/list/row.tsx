/** One session in the list. */
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { activities, commandOf, isLive, samples, selectedId, type Session, sinceWhen, titleOf } from "../state/app.ts";
import { lastLines, loadLastLine } from "../state/last-lines.ts";
import { age, now } from "../state/time.ts";
import { needsInput } from "./groups.ts";
import { Sparkline } from "./sparkline.tsx";
import { StateSign, stateOf } from "./state-sign.tsx";

export function Row({ session }: { session: Session }) {
  const { session_id, name, argv } = session;
  const activity = activities.value.get(session_id);
  const isWaiting = isLive(session) && needsInput(activity);
  const isSelected = selectedId.value === session_id;
  const since = sinceWhen(session);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (link.current === null || isLive(session)) return;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) void loadLastLine(session_id);
    });
    observer.observe(link.current);
    return () => observer.disconnect();
  }, [session_id, isLive(session)]);
  // A computed value updates the text node alone, not the row.
  const old = useComputed(() => age(now.value - Date.parse(since)));
  return (
    <a
      ref={link}
      class={`row ${isWaiting ? "waiting" : ""} ${isLive(session) ? "" : "ended"}`}
      href={`#s=${session_id}`}
      aria-current={isSelected ? "page" : undefined}
      data-id={session_id}
    >
      <span class="first">
        <StateSign session={session} withWord={false} />
        <span class={`name ${name === null ? "alone" : ""}`}>{titleOf(session)}</span>
        {name === null ? null : <span class="command">{commandOf(argv)}</span>}
        {(activity?.clients ?? 0) > 0 ? (
          <span class="clients" title={`${activity?.clients} attached`}>
            <span aria-hidden="true">▸</span>
            {activity?.clients}
            <span class="unseen"> attached</span>
          </span>
        ) : null}
      </span>
      <span class="second">
        <span class="last">{isWaiting ? stateOf(session).word : isLive(session) ? (activity?.last_line ?? "") : endOf(session)}</span>
        <Sparkline samples={(samples.value.get(session_id) ?? []).slice(-60)} />
        <time class="age" dateTime={since}>
          {old}
        </time>
      </span>
    </a>
  );
}

/** The outcome, and the last line of output. */
function endOf(session: Session): string {
  const line = lastLines.value.get(session.session_id) ?? "";
  return line === "" ? stateOf(session).word : `${stateOf(session).word} · ${line}`;
}
