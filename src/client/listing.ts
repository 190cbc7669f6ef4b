import { isFinal, type Session } from "../protocol/session.ts";

export interface Wanted {
  /** Of the ended ones, those that ended since then; milliseconds. */
  endedSince?: number;
  states?: readonly string[];
}

export interface Listing {
  sessions: Session[];
  /** Of all, wanted or not. */
  total: number;
}

export function isWanted({ state, ended_at, created_at }: Session, { endedSince = 0, states }: Wanted): boolean {
  if (states !== undefined && !states.includes(state)) return false;
  return !isFinal(state) || Date.parse(ended_at ?? created_at) >= endedSince;
}
