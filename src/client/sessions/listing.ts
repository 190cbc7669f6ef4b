/** The filter and the result of a list of sessions. */
import { isFinal, type Session } from "../../protocol/types/session.ts";

export interface SessionFilter {
  /** Drops sessions that ended before this time, in milliseconds since 1970. */
  endedSince?: number;
  states?: readonly string[];
  name?: string;
  projectId?: string;
  /** A part of the matching sessions, newest first; all without it. */
  page?: { offset: number; limit: number };
}

export interface Listing {
  /** Newest first. */
  sessions: Session[];
  /** The number of matching sessions, on the page or not. */
  matching: number;
  /** The number of all sessions. */
  total: number;
}

export function matchesFilter(session: Session, { endedSince = 0, states, name, projectId }: SessionFilter): boolean {
  const { state, ended_at, created_at } = session;
  if (states !== undefined && !states.includes(state)) return false;
  if (name !== undefined && session.name !== name) return false;
  if (projectId !== undefined && session.project_id !== projectId) return false;
  return !isFinal(state) || Date.parse(ended_at ?? created_at) >= endedSince;
}

export function onPage<T>(all: readonly T[], { page }: SessionFilter): T[] {
  return page === undefined ? [...all] : all.slice(page.offset, page.offset + page.limit);
}

/** False for a lost session: its end is concluded, not recorded, and its survivors may change. */
export function hasRecordedEnd({ state, reason }: Session): boolean {
  return isFinal(state) && reason !== "holder_lost";
}
