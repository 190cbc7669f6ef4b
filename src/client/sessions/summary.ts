/**
 * A session as lists have it. A command may be as long as the kernel lets it be, which is a hundred times what all the rest of a session takes: a list of
 * a thousand such would be gigabytes.
 */
import type { Session } from "../../protocol/types/session.ts";

/** Of all words of one field together. */
const MAX_CHARACTERS = 4096;

/** The same one, where nothing of it is too long. */
export function summaryOf(session: Session): Session {
  const { argv, env_keys } = session;
  if (lengthOf(argv) <= MAX_CHARACTERS && lengthOf(env_keys) <= MAX_CHARACTERS) return session;
  return { ...session, argv: shortened(argv), env_keys: wholeWords(env_keys), abridged: true };
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length + 1, 0);
}

/** The last one ends in the middle, where that is where the room does. */
function shortened(words: readonly string[]): string[] {
  const whole = wholeWords(words);
  const next = words[whole.length];
  const room = MAX_CHARACTERS - lengthOf(whole) - 1;
  return next === undefined || room <= 0 ? whole : [...whole, `${next.slice(0, room).toWellFormed()}…`];
}

function wholeWords(words: readonly string[]): string[] {
  let left = MAX_CHARACTERS;
  const end = words.findIndex((word) => (left -= word.length + 1) < 0);
  return end === -1 ? [...words] : words.slice(0, end);
}
