/** How what matches is found: here where that is little work, else in processes of their own, which can be ended in the middle of a match. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { LinePattern, type PatternSpec } from "../../../terminal/text/line-pattern.ts";
import type { TranscriptReader } from "../../../transcript/read/reader.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";
import type { GrepLine } from "../../../rendering/grep/grep.ts";
import { isQuick } from "../pattern-search.ts";
import { grepElsewhere } from "./grep-child.ts";
import { GrepBounds, grepPage, type Grepped, type GrepOptions } from "./grep-page.ts";
import type { Breath } from "./page.ts";
import type { Grep } from "./read-text.ts";

/** Less is done sooner than a process is started. */
const LITTLE = 2 * 1024 * 1024;
/** More is done by two at once. */
const MUCH = 64 * 1024 * 1024;

/** For a process that others wait for. */
export function boundedGrep(sessions: LocalSessions, id: string, signal: AbortSignal): Grep {
  return (reader: TranscriptReader, options: GrepOptions, breath: Breath): Promise<Grepped> => {
    const { sought, from, to } = options;
    const isBounded = !sought.isRegex || isQuick(new RegExp(sought.text, "u"));
    if (isBounded && to - from <= LITTLE) return grepPage(reader, options, breath);
    const grep = (part: GrepOptions): Promise<Grepped> => grepElsewhere(sessions.layout.root, id, part, signal);
    return to - from > MUCH ? inHalves(options, grep) : grep(options);
  };
}

/** EBADARGS for what is no expression. */
export function patternOf(sought: PatternSpec): LinePattern {
  try {
    return new LinePattern(sought);
  } catch (error) {
    throw new HoltError("EBADARGS", `invalid pattern ${JSON.stringify(sought.text)}`, {
      hint: error instanceof Error ? error.message : "that is no regular expression",
    });
  }
}

/** The second half is thrown away when the first is enough. */
export async function inHalves(
  options: GrepOptions,
  grep: (options: GrepOptions) => Promise<Grepped>,
): Promise<Grepped> {
  const middle = Math.floor((options.from + options.to) / 2);
  const parts = [
    { ...options, to: middle },
    { ...options, from: middle },
  ];
  const [first, second] = await Promise.all(parts.map(grep));
  if (first === undefined || second === undefined || first.left !== null)
    return first ?? { found: [], left: options.from, unjudged: [] };
  // Around the middle both tell of the same lines.
  const told = first.found.at(-1)?.end ?? options.widest.from;
  const last = new Set(first.found.filter(({ end }) => end === told).map(nameOf));
  const isNew = (line: GrepLine): boolean => line.end >= told && !last.has(nameOf(line));
  const bounds = new GrepBounds(options);
  bounds.unjudged.push(...first.unjudged, ...second.unjudged);
  for (const line of [...first.found, ...second.found.filter(isNew)]) if (!bounds.take(line)) return bounds.grepped();
  return { ...bounds.grepped(), left: second.left };
}

/** No two lines have the same, also of those that end together. */
function nameOf({ channel, start, end, row = 0 }: GrepLine): string {
  return `${channel} ${start} ${end} ${row}`;
}
