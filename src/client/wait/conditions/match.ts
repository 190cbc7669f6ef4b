/**
 * A pattern in what is printed. Each piece of new text is searched once, together with the end of what came before it, so that the work
 * does not grow with what was printed; a match longer than that end is found only within one piece.
 *
 * How long a search takes is the pattern's business: `.*x` over a line of a megabyte, or `(a+)+$`, takes minutes, in which this process
 * could neither keep a timeout nor be canceled. So only a pattern whose work is bounded is looked for here, any other in a process of
 * its own, which can be ended.
 *
 * The wait's cursor is just past what matched, so that the next wait sees what was printed right behind it.
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
  /** `before` begins in the middle of what was printed. */
  let isTrimmed = false;
  const cursors = new TextCursors();

  return {
    async take(item) {
      if (item.type === "gap") return;
      const fresh = text.push(item.bytes);
      cursors.push(item, text.isBetween);
      for (let at = 0; at < fresh.length; at += PIECE) {
        const window = before + fresh.slice(at, at + PIECE);
        // Past one character that was looked at before, so that `^` knows whether a line begins there.
        const { found, unjudged: past } = await search.find(window, isTrimmed ? 1 : 0);
        if (past !== null) unjudged();
        if (found !== null) {
          const { match, end } = found;
          return meet({ outcome: "matched", match, cursor: cursors.cursorAfter(at + end - before.length) });
        }
        // What cannot be told is not asked again with everything that follows. The one character before that stays.
        const kept = Math.min(window.length - 1, Math.max(window.length - OVERLAP, past ?? 0, 0));
        isTrimmed ||= kept > 0;
        before = window.slice(kept);
      }
    },
    [Symbol.dispose]: () => search[Symbol.dispose](),
  };
}
