/**
 * Chooses where to search: in this process for little work, else in child processes, which can be
 * killed during a match.
 */
import { HoltError } from "../../../protocol/types/errors.ts";
import { LinePattern, type PatternSpec } from "../../../terminal/text/line-pattern.ts";
import type { TranscriptReader } from "../../../transcript/read/reader.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";
import type { GrepLine } from "../../../rendering/grep/grep.ts";
import { isBoundedPattern } from "../pattern-search.ts";
import { grepInChildProcess } from "./grep-child.ts";
import { GrepBounds, grepPage, type GrepResult, type GrepOptions } from "./grep-page.ts";
import type { YieldToLoop } from "./page.ts";
import type { GrepRunner } from "./read-text.ts";

/** A smaller range takes less time than starting a process. */
const IN_PROCESS_BYTES = 2 * 1024 * 1024;
/** A larger range is searched by two processes. */
const PARALLEL_BYTES = 64 * 1024 * 1024;

/** For servers. */
export function grepBySize(sessions: LocalSessions, id: string, signal: AbortSignal): GrepRunner {
  return (reader: TranscriptReader, options: GrepOptions, yieldToLoop: YieldToLoop): Promise<GrepResult> => {
    const { spec, from, to } = options;
    const isBounded = !spec.isRegex || isBoundedPattern(new RegExp(spec.text, "u"));
    if (isBounded && to - from <= IN_PROCESS_BYTES) return grepPage(reader, options, yieldToLoop);
    const grep = (part: GrepOptions): Promise<GrepResult> => grepInChildProcess(sessions.layout.root, id, part, signal);
    return to - from > PARALLEL_BYTES ? grepInHalves(options, grep) : grep(options);
  };
}

/** EBADARGS for an invalid expression. */
export function compilePattern(spec: PatternSpec): LinePattern {
  try {
    return new LinePattern(spec);
  } catch (error) {
    throw new HoltError("EBADARGS", `invalid pattern ${JSON.stringify(spec.text)}`, {
      hint: error instanceof Error ? error.message : "not a regular expression",
    });
  }
}

/** Drops the second half if the first fills the page. */
export async function grepInHalves(
  options: GrepOptions,
  grep: (options: GrepOptions) => Promise<GrepResult>,
): Promise<GrepResult> {
  const middle = Math.floor((options.from + options.to) / 2);
  const parts = [
    { ...options, to: middle },
    { ...options, from: middle },
  ];
  const [first, second] = await Promise.all(parts.map(grep));
  if (first === undefined || second === undefined || first.resumeCursor !== null)
    return first ?? { found: [], resumeCursor: options.from, unjudged: [] };
  // Both halves may return the lines around the middle.
  const lastEnd = first.found.at(-1)?.end ?? options.widest.from;
  const last = new Set(first.found.filter(({ end }) => end === lastEnd).map(lineKey));
  const isNew = (line: GrepLine): boolean => line.end >= lastEnd && !last.has(lineKey(line));
  const bounds = new GrepBounds(options);
  bounds.unjudged.push(...first.unjudged, ...second.unjudged);
  for (const line of [...first.found, ...second.found.filter(isNew)]) if (!bounds.take(line)) return bounds.result();
  return { ...bounds.result(), resumeCursor: second.resumeCursor };
}

/** Unique per line, also for lines with the same end. */
function lineKey({ channel, start, end, row = 0 }: GrepLine): string {
  return `${channel} ${start} ${end} ${row}`;
}
