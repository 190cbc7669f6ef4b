/** Lists sessions and finds one by id or name. */
import { closeSync, readdirSync } from "node:fs";
import { formatAge } from "../../protocol/types/duration.ts";
import { errnoOf, HoltError, sessionNotFound } from "../../protocol/types/errors.ts";
import { nearest } from "../../protocol/methods/nearest.ts";
import { latestAttempts } from "../../protocol/types/restart.ts";
import { isFinal, type Session, type SessionState } from "../../protocol/types/session.ts";
import { isNewSessionId, isSessionId } from "../../protocol/types/session-id.ts";
import { shellWord } from "../../protocol/types/shell-word.ts";
import type { Layout } from "../layout.ts";
import { openSessions, SessionDir } from "../session-dir.ts";
import { sessionFrom } from "./state.ts";

const COMMAND_SHOWN = 30;

export interface SessionFilter {
  states?: SessionState[];
  limit?: number;
}

/** Newest first; unreadable sessions are left out. */
export function listSessions(layout: Layout, { states, limit }: SessionFilter = {}): Session[] {
  const sessions = readSessions(layout).filter(({ state }) => states === undefined || states.includes(state));
  return newestFirst(sessions).slice(0, limit);
}

export function newestFirst<T extends Session>(sessions: readonly T[]): T[] {
  return sessions.toSorted((a, b) => compare(b.created_at, a.created_at) || compare(b.session_id, a.session_id));
}

/**
 * Finds a session by id, else by name (a live session wins over ended ones), else by a unique
 * prefix of its id.
 */
export function resolveSession(layout: Layout, reference: string, all = () => listSessions(layout)): Session {
  if (reference === "") {
    throw new HoltError("EBADARGS", "the session id is empty", { hint: "`holt ls --all` lists ids and names" });
  }
  const exact = readSession(layout, reference);
  // A generated id cannot be another session's name. A chosen id can: a live session of that name
  // then wins over an ended one of that id.
  if (exact !== null && (!isFinal(exact.state) || isNewSessionId(reference))) return exact;
  const sessions = all();
  const byName = latestAttempts(sessions.filter(({ name }) => name === reference));
  const living = byName.filter(({ state }) => !isFinal(state));
  if (exact !== null && living.length === 0) return exact;
  const byPrefix = sessions.filter(({ session_id }) => session_id.startsWith(reference));
  for (const candidates of [living, byName, byPrefix]) {
    const [only] = candidates;
    if (only !== undefined && candidates.length === 1) return only;
    if (candidates.length > 1) throw ambiguous(reference, candidates);
  }
  throw unknown(reference, sessions);
}

/** Names in sessions/ that are valid ids. */
export function sessionIds(layout: Layout): string[] {
  try {
    return readdirSync(layout.sessions).filter(isSessionId);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return []; // none yet
    throw error;
  }
}

function readSessions(layout: Layout): Session[] {
  const parent = openSessions(layout);
  if (parent === null) return [];
  try {
    return sessionIds(layout).flatMap((id) => {
      try {
        using dir = SessionDir.openIn(layout, parent, id);
        return sessionFrom(dir) ?? [];
      } catch {
        return []; // removed meanwhile, damaged, or of another user: `gc` reports it
      }
    });
  } finally {
    closeSync(parent);
  }
}

/** Null if there is none or it cannot be read. */
export function readSession(layout: Layout, id: string): Session | null {
  try {
    using dir = SessionDir.open(layout, id);
    return sessionFrom(dir);
  } catch (error) {
    if (error instanceof HoltError && error.code === "ENOTFOUND") return null;
    throw error;
  }
}

function ambiguous(reference: string, candidates: Session[]): HoltError {
  const ids = candidates.map(({ session_id }) => session_id);
  const lines = candidates.slice(0, 5).map((candidate) => `\n${summaryLine(candidate)}`);
  const more = candidates.length > 5 ? `\nand ${candidates.length - 5} more` : "";
  const isName = candidates.every(({ name }) => name === reference);
  return new HoltError(
    "EBADARGS",
    `"${reference}" ${isName ? "names more than one session" : "begins more than one session id"}`,
    {
      hint: `${isName ? "use an id" : "use more of the id"}:${lines.join("")}${more}`,
      details: { candidates: ids },
    },
  );
}

/** One line that tells it from others: k3f9q2 ("build", 3m ago, make -j4). */
function summaryLine({ session_id, name, created_at, argv }: Session): string {
  const command = argv.map(shellWord).join(" ").replaceAll(/\s+/g, " ");
  const parts = [
    ...(name === null ? [] : [JSON.stringify(name)]),
    `${formatAge(Date.now() - Date.parse(created_at))} ago`,
    command.length <= COMMAND_SHOWN ? command : `${command.slice(0, COMMAND_SHOWN - 1)}…`,
  ];
  return `${session_id} (${parts.join(", ")})`;
}

function unknown(reference: string, sessions: Session[]): HoltError {
  const words = sessions.flatMap(({ session_id, name }) => (name === null ? [session_id] : [name, session_id]));
  const word = nearest(reference, words);
  const near = sessions.find(({ session_id, name }) => word !== null && (name === word || session_id === word));
  const guess = near === undefined ? "" : `did you mean ${describe(near)}? `;
  return sessionNotFound(reference, `${guess}\`holt ls --all\` shows ended ones`);
}

/** "build" (k3f9q2) */
function describe({ session_id, name }: Session): string {
  return name === null ? `"${session_id}"` : `"${name}" (${session_id})`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
