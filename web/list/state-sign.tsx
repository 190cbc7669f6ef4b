import { activities, isLive, type Session } from "../state/app.ts";

type Look = "run" | "wait" | "good" | "bad" | "dim";

export function stateOf(session: Session): { sign: string; word: string; look: Look } {
  const waiting = activities.value.get(session.session_id)?.waiting ?? null;
  if (isLive(session)) {
    if (waiting === "prompt") return { sign: "●", word: "ready", look: "run" };
    if (waiting !== null) return { sign: "◆", word: waiting === "echo_off" ? "waiting: password" : "waiting for input", look: "wait" };
    if (session.state === "starting") return { sign: "○", word: "starting", look: "dim" };
    return session.quiet ? { sign: "●", word: "quiet", look: "dim" } : { sign: "●", word: "running", look: "run" };
  }
  if (session.reason === "stop_requested" || session.reason === "kill_requested") return { sign: "■", word: "stopped", look: "dim" };
  if (session.exit_code === 0) return { sign: "✓", word: "exited 0", look: "good" };
  if (session.exit_code !== null) return { sign: "✗", word: `exited ${session.exit_code}`, look: "bad" };
  if (session.signal !== null) return { sign: "✗", word: session.signal, look: "bad" };
  return { sign: "✗", word: (session.reason ?? session.state).replaceAll("_", " "), look: "bad" };
}

/** A sign, a word and a colour: never colour alone. */
export function StateSign({ session, withWord }: { session: Session; withWord: boolean }) {
  const { sign, word, look } = stateOf(session);
  return (
    <span class={`state ${look}`}>
      <span aria-hidden="true">{sign}</span>
      <span class={withWord ? "" : "unseen"}>{word}</span>
    </span>
  );
}
