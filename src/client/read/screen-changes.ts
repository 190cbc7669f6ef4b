/**
 * The rows of a screen that changed since a revision. A revision is a cursor and a size: the
 * earlier screen is rendered again from the transcript, so a revision is valid for as long as the
 * session is kept, for any client.
 */
import { screenAt } from "../../rendering/screen-at.ts";
import { rowsOfText } from "../../terminal/screen/screen-text.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import type { ScreenOfSession, ScreenRequest } from "./screen.ts";

export interface ChangedRow {
  row: number;
  text: string;
}

export function revisionOf({ cursor, screen: { cols, rows } }: ScreenOfSession): string {
  return `${cursor}-${cols}x${rows}`;
}

/** Null if the revision is invalid or of another size: the caller needs the whole screen. */
export async function changesSince(
  { sessions, session: { session_id: id }, signal }: ScreenRequest,
  revision: string,
  now: ScreenOfSession,
): Promise<ChangedRow[] | null> {
  const [, at, cols, rows] = /^(\d{1,15})-(\d{1,5})x(\d{1,5})$/.exec(revision) ?? [];
  const cursor = Number(at);
  const isKnown = at !== undefined && cursor <= now.cursor && cursor <= endOf(sessions, id);
  if (!isKnown || Number(cols) !== now.screen.cols || Number(rows) !== now.screen.rows) return null;
  using earlier = await screenAt({ layout: sessions.layout, id, cursor, signal });
  const before = earlier.emulator.screen();
  if (before.cols !== now.screen.cols || before.rows !== now.screen.rows) return null;
  const texts = rowsOfText(before);
  return rowsOfText(now.screen).flatMap((text, row) => (text === texts[row] ? [] : [{ row, text }]));
}

function endOf(sessions: LocalSessions, id: string): number {
  using reader = sessions.reader(id);
  return reader.end();
}
