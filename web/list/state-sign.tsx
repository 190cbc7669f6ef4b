/** The state of a session as a sign and a word. */
import { limitState, type StateDescription, readableState } from "../../src/protocol/types/state-words.ts";
import { activities, isLive, type Session } from "../state/app.ts";

type Look = "run" | "wait" | "good" | "bad" | "dim";

export function stateOf(session: Session): { sign: string; word: string; look: Look } {
  const waiting = activities.value.get(session.session_id)?.waiting ?? null;
  if (isLive(session)) {
    if (waiting === "prompt") return { sign: "●", word: "ready", look: "run" };
    if (waiting !== null) return { sign: "◆", word: waiting === "echo_off" ? "waiting: password" : "waiting for input", look: "wait" };
    if (session.quiet) return { sign: "◌", word: "quiet", look: "dim" };
  }
  // The same words as `holt ls`.
  const { sign, words, look } = limitState(session) ?? readableState(session);
  return { sign, word: words, look: sign === "✓" ? "good" : LOOKS[look] };
}

const LOOKS: Record<StateDescription["look"], Look> = { accent: "dim", good: "run", plain: "dim", warn: "wait", bad: "bad" };

/** A sign, a word and a colour: colour alone is not accessible. */
export function StateSign({ session, withWord }: { session: Session; withWord: boolean }) {
  const { sign, word, look } = stateOf(session);
  return (
    <span class={`state ${look}`}>
      <span aria-hidden="true">{sign}</span>
      <span class={withWord ? "" : "unseen"}>{word}</span>
    </span>
  );
}
