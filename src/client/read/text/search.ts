/** Text in all transcripts that are kept. */
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import type { PatternSpec } from "../../../terminal/text/line-pattern.ts";
import { shortened } from "../../../terminal/text/shorten-line.ts";
import type { LocalSessions } from "../../sessions/local-sessions.ts";
import { breathing } from "./yield-to-loop.ts";
import { grepPage } from "./grep-page.ts";
import type { Breath } from "./page.ts";

export interface SearchRequest {
  sought: PatternSpec;
  project: string | null;
  /** Milliseconds since 1970: not what ended before. */
  since: number | null;
  limit: number;
  perSession: number;
  /** Where the last answer ended. */
  after: Place | null;
}

export interface Place {
  session_id: string;
  cursor: number;
}

export interface Hit extends Place {
  name: string | null;
  line: string;
}

export interface Found {
  hits: Hit[];
  searched: number;
  /** Lines of which it cannot be told whether they match. */
  unjudged: number;
  next: Place | null;
}

const MAX_LINE = 500;
/** A part of an answer in time is better than none. */
const MOST_MS = 20_000;
const ALL_BYTES = 16 * 1024 * 1024;

/** Sessions from the newest on, and lines in their order. In the process that asks: what others wait for asks elsewhere (search-elsewhere.ts). */
export async function search(sessions: LocalSessions, request: SearchRequest, signal: AbortSignal): Promise<Found> {
  const breath = breathing(signal);
  const late = performance.now() + MOST_MS;
  const found: Found = { hits: [], searched: 0, unjudged: 0, next: null };
  let from = request.after?.cursor ?? 0;
  for (const session of wanted(sessions.list(), request)) {
    await breath();
    if (found.hits.length >= request.limit || performance.now() > late)
      return { ...found, next: { session_id: session.session_id, cursor: from } };
    const left = await searchOne({ sessions, session, from, request, breath }, found);
    if (left !== null && found.hits.length >= request.limit) return { ...found, next: left };
    from = 0;
  }
  return found;
}

interface One {
  sessions: LocalSessions;
  session: Session;
  from: number;
  request: SearchRequest;
  breath: Breath;
}

/** Where it goes on, when there is more of that session than was wanted. */
async function searchOne({ sessions, session, from, request, breath }: One, found: Found): Promise<Place | null> {
  const { session_id, name } = session;
  try {
    using reader = sessions.reader(session_id);
    const end = isFinal(session.state) ? Math.max(session.output_bytes, reader.end()) : reader.end();
    const range = { from: Math.min(from, end), to: end };
    const maxMatches = Math.min(request.perSession, request.limit - found.hits.length);
    const around = { before: 0, after: 0, channel: null, widest: range, maxMatches, maxBytes: ALL_BYTES };
    const grepped = await grepPage(reader, { sought: request.sought, end, ...range, ...around }, breath);
    for (const { start, text } of grepped.found)
      found.hits.push({ session_id, name, cursor: start, line: shortened(text, MAX_LINE, start) });
    found.searched++;
    found.unjudged += grepped.unjudged.length;
    return grepped.left === null ? null : { session_id, cursor: grepped.left };
  } catch (error) {
    // Removed while we were at it, or not to be read: the others are.
    if (error instanceof HoltError && error.code !== "ECANCELED") return null;
    throw error;
  }
}

function wanted(all: readonly Session[], { project, since, after }: SearchRequest): readonly Session[] {
  const first = after === null ? 0 : all.findIndex(({ session_id }) => session_id === after.session_id);
  if (first < 0)
    throw new HoltError("ENOTFOUND", `session not found: ${after?.session_id}`, { hint: "search again without after" });
  return all
    .slice(first)
    .filter(({ project_id }) => project === null || project_id === project)
    .filter(({ ended_at }) => since === null || ended_at === null || Date.parse(ended_at) >= since);
}
