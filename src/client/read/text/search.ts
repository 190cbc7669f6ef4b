/** Searches the transcripts of all kept sessions. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import type { PatternSpec } from "../../../terminal/text/line-pattern.ts";
import { shortened } from "../../../terminal/text/shorten-line.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";
import { loopYielder } from "./yield-to-loop.ts";
import { grepPage } from "./grep-page.ts";
import type { YieldToLoop } from "./page.ts";

export interface SearchRequest {
  spec: PatternSpec;
  project: string | null;
  /** Skips sessions that ended before, in milliseconds since 1970. */
  since: number | null;
  limit: number;
  perSession: number;
  /** `next` of the previous answer. */
  after: SearchCursor | null;
}

export interface SearchCursor {
  session_id: string;
  cursor: number;
}

export interface SearchHit extends SearchCursor {
  name: string | null;
  line: string;
}

export interface SearchResult {
  hits: SearchHit[];
  searched: number;
  /** The number of lines that could not be matched. */
  unjudged: number;
  next: SearchCursor | null;
}

const MAX_LINE_CHARACTERS = 500;
/** After this long, a partial answer is returned. */
const MAX_MS = 20_000;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/**
 * Newest sessions first, lines in order. Runs in the calling process; servers use grep-child.ts.
 */
export async function searchSessions(
  sessions: LocalSessions,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  const yieldToLoop = loopYielder(signal);
  const deadline = performance.now() + MAX_MS;
  const found: SearchResult = { hits: [], searched: 0, unjudged: 0, next: null };
  let from = request.after?.cursor ?? 0;
  for (const session of matchingSessions(sessions.list(), request)) {
    await yieldToLoop();
    if (found.hits.length >= request.limit || performance.now() > deadline)
      return { ...found, next: { session_id: session.session_id, cursor: from } };
    const left = await searchOne({ sessions, session, from, request, yieldToLoop }, found);
    if (left !== null && found.hits.length >= request.limit) return { ...found, next: left };
    from = 0;
  }
  return found;
}

interface SearchOne {
  sessions: LocalSessions;
  session: Session;
  from: number;
  request: SearchRequest;
  yieldToLoop: YieldToLoop;
}

/** The cursor to continue from if the session has more matches than requested. */
async function searchOne(
  { sessions, session, from, request, yieldToLoop }: SearchOne,
  found: SearchResult,
): Promise<SearchCursor | null> {
  const { session_id, name } = session;
  try {
    using reader = sessions.reader(session_id);
    const end = isFinal(session.state) ? Math.max(session.output_bytes, reader.end()) : reader.end();
    const range = { from: Math.min(from, end), to: end };
    const maxMatches = Math.min(request.perSession, request.limit - found.hits.length);
    const around = { before: 0, after: 0, channel: null, widest: range, maxMatches, maxBytes: MAX_TEXT_BYTES };
    const grepped = await grepPage(reader, { spec: request.spec, end, ...range, ...around }, yieldToLoop);
    for (const { start, text } of grepped.found)
      found.hits.push({ session_id, name, cursor: start, line: shortened(text, MAX_LINE_CHARACTERS, start) });
    found.searched++;
    found.unjudged += grepped.unjudged.length;
    return grepped.resumeCursor === null ? null : { session_id, cursor: grepped.resumeCursor };
  } catch (error) {
    // Skips a session that was removed meanwhile or cannot be read.
    if (error instanceof HoltError && error.code !== "ECANCELED") return null;
    throw error;
  }
}

function matchingSessions(all: readonly Session[], { project, since, after }: SearchRequest): readonly Session[] {
  const first = after === null ? 0 : all.findIndex(({ session_id }) => session_id === after.session_id);
  if (first < 0)
    throw new HoltError("ENOTFOUND", `session not found: ${after?.session_id}`, { hint: "search again without after" });
  return all
    .slice(first)
    .filter(({ project_id }) => project === null || project_id === project)
    .filter(({ ended_at }) => since === null || ended_at === null || Date.parse(ended_at) >= since);
}
