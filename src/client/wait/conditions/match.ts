/**
 * The condition `match`: a pattern in the output. Each piece of new text is searched once, together
 * with the last OVERLAP characters before it, so the work does not grow with the output. A longer
 * match is found only within one piece.
 *
 * A search may take minutes (`(a+)+$`), in which this process could neither keep a timeout nor be
 * canceled. So only patterns with bounded work are searched here, others in a child process that
 * can be killed.
 *
 * The wait's cursor is just past the match, so that the next wait sees what follows it.
 */
import { TextCursors } from "./text-cursors.ts";
import { PlainText } from "../../../terminal/text/plain-text.ts";
import { isBoundedPattern, type PatternSearch, searchInProcess } from "../../read/pattern-search.ts";
import { searchInChildProcess } from "../../read/search-process.ts";
import type { WatchContext, Watcher } from "./condition.ts";

/** Characters before the new ones in which a match may begin. */
const OVERLAP = 4096;
const PIECE = 16 * 1024;

export function watchMatch({ meet, unjudged }: WatchContext, pattern: RegExp): Watcher {
  const text = new PlainText();
  const search: PatternSearch = isBoundedPattern(pattern) ? searchInProcess(pattern) : searchInChildProcess(pattern);
  let before = "";
  /** True if `before` does not begin at the start of the output. */
  let isTrimmed = false;
  const cursors = new TextCursors();

  return {
    async take(item) {
      if (item.type === "gap") return;
      const fresh = text.push(item.bytes);
      cursors.push(item, text.isBetween);
      for (let at = 0; at < fresh.length; at += PIECE) {
        const window = before + fresh.slice(at, at + PIECE);
        // Skips one character already searched, which tells `^` whether a line begins there.
        const { found, unjudged: unjudgedEnd } = await search.find(window, isTrimmed ? 1 : 0);
        if (unjudgedEnd !== null) unjudged();
        if (found !== null) {
          const { match, end } = found;
          return meet({ outcome: "matched", match, cursor: cursors.cursorAfter(at + end - before.length) });
        }
        // Text that could not be matched is dropped, except the last character, and not searched
        // again.
        const kept = Math.min(window.length - 1, Math.max(window.length - OVERLAP, unjudgedEnd ?? 0, 0));
        isTrimmed ||= kept > 0;
        before = window.slice(kept);
      }
    },
    [Symbol.dispose]: () => search[Symbol.dispose](),
  };
}
