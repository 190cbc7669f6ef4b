/**
 * A session with a bounded command, for lists: the kernel allows commands a hundred times as long
 * as the rest of a session, so a list of a thousand could be gigabytes.
 */
import type { Session } from "../../protocol/types/session.ts";

/** For all words of one field together. */
const MAX_CHARACTERS = 4096;

/** The same object if nothing in it is too long. */
export function summaryOf(session: Session): Session {
  const { argv, env_keys } = session;
  if (lengthOf(argv) <= MAX_CHARACTERS && lengthOf(env_keys) <= MAX_CHARACTERS) return session;
  return { ...session, argv: shortened(argv), env_keys: wholeWords(env_keys), abridged: true };
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length + 1, 0);
}

/** Truncates the last word at the bound. */
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
