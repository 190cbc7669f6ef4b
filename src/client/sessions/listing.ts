import { isFinal, type Session } from "../../protocol/types/session.ts";

export interface SessionFilter {
  /** Of the ended ones, those that ended since then; milliseconds. */
  endedSince?: number;
  states?: readonly string[];
  name?: string;
  projectId?: string;
  /** Of those that are wanted, the newest first; all of them without it. */
  page?: { offset: number; limit: number };
}

export interface Listing {
  /** The newest first. */
  sessions: Session[];
  /** How many are wanted, on the page or not. */
  matching: number;
  /** Of all, wanted or not. */
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

/** A lost one is concluded, not recorded, and its survivors come and go. */
export function hasRecordedEnd({ state, reason }: Session): boolean {
  return isFinal(state) && reason !== "holder_lost";
}
