/**
 * The terminal of a session at an earlier moment. It is shown once it is drawn, so that nothing
 * flickers.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { moment, rpc, type Session } from "../state/app.ts";
import { notifyError } from "../state/toast.ts";
import { registerScreen } from "./current-screen.ts";
import { isPlaying, play, shownPast } from "./playback.ts";
import { Screen } from "./screen.ts";

const SCROLLBACK = 200;
/** A shorter wait needs no message. */
const SLOW_MS = 250;

export function Past({ session, cursor, isShown }: { session: Session; cursor: number; isShown: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const isDrawing = useRef(false);
  const isSlow = useSignal(false);
  const { session_id: id } = session;
  useEffect(() => {
    if (host.current === null) return;
    const created = new Screen({ host: host.current, onInput: null, onOverload: null });
    screen.current = created;
    const forget = registerScreen(created);
    const observer = new ResizeObserver(() => created.scale());
    observer.observe(host.current);
    return () => {
      observer.disconnect();
      forget();
      created.dispose();
      screen.current = null;
      shownPast.value = null;
      isPlaying.value = false;
    };
  }, [id]);
  /** Draws one moment at a time; moments passed while dragging are skipped. */
  const draw = async (): Promise<void> => {
    const wantedCursor = (): number | null => (moment.peek()?.id === id ? (moment.peek()?.cursor ?? null) : null);
    isDrawing.current = true;
    const slow = setTimeout(() => (isSlow.value = true), SLOW_MS);
    try {
      for (let at = wantedCursor(); at !== null && at !== shownPast.peek()?.cursor; at = wantedCursor()) {
        const replay = await rpc.peek()?.call("session.replay", { session_id: id, cursor: String(at), scrollback: SCROLLBACK });
        if (replay === undefined || screen.current === null) return;
        await screen.current.show(Uint8Array.fromBase64(replay.data), replay, "replaced");
        shownPast.value = { id, cursor: at };
      }
    } finally {
      isDrawing.current = false;
      clearTimeout(slow);
      isSlow.value = false;
    }
  };
  const isTravelling = moment.value?.id === id;
  useEffect(() => {
    if (!isTravelling) shownPast.value = null; // the next visit is another moment
    else if (!isDrawing.current && shownPast.peek()?.cursor !== cursor) draw().catch(notifyError);
  }, [id, cursor, isTravelling]);
  const isReady = shownPast.value !== null;
  useEffect(() => {
    if (!isPlaying.value || !isReady || screen.current === null) return;
    const stopped = new AbortController();
    play(id, screen.current, stopped.signal).catch(notifyError);
    return () => stopped.abort();
  }, [id, isPlaying.value, isReady]);
  return (
    <div class={`past ${isShown ? "" : "away"}`} inert={!isShown}>
      <div class="terminal" role="group" ref={host} aria-label={`Terminal of ${id} as it was`} />
      {isSlow.value ? (
        <p class="banner" role="status">
          Drawing this moment…
        </p>
      ) : null}
    </div>
  );
}
