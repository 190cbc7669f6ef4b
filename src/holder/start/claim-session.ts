/** What a session needs before it is one: a name of its own, a place for its socket, and its first record. */
import type { Log } from "../../platform/log/log.ts";
import { ownIdentity } from "../../platform/process/processes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { FORMAT_VERSION, type Meta } from "../../protocol/types/session.ts";
import { newSessionId, requireSessionId } from "../../protocol/types/session-id.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { type Layout, socketPath } from "../../transcript/layout.ts";
import { SessionDir } from "../../transcript/session-dir.ts";

/** Claims the id asked for, or a new one. An id that is taken is refused; a generated one is tried again. */
export function claimSession(layout: Layout, id: string | null): SessionDir {
  if (id !== null) return SessionDir.create(layout, requireSessionId(id));
  for (;;) {
    try {
      return SessionDir.create(layout, newSessionId());
    } catch (error) {
      if (!(error instanceof HoltError && error.code === "EEXISTS")) throw error;
    }
  }
}

/** The part of a session's record that its holder does not find out by itself. */
export type RequestedMeta = Omit<
  Meta,
  "format" | "session_id" | "created_at" | "started_at" | "process" | "holder" | "socket" | "holt_version"
>;

export interface ClaimedSession {
  layout: Layout;
  id: string;
  log: Log;
  /** Where it listens already. */
  socket?: string | undefined;
}

/** The record of a session that is about to start. */
export function metaFor(requested: RequestedMeta, { layout, id, log, socket }: ClaimedSession): Meta {
  return {
    format: FORMAT_VERSION,
    session_id: id,
    ...requested,
    created_at: new Date().toISOString(),
    started_at: null,
    process: null,
    holder: ownIdentity(),
    socket: socket ?? socketOrNone(layout, id, log),
    holt_version: VERSION,
  };
}

/** A session can do without: its readers then watch the files. */
function socketOrNone(layout: Layout, id: string, log: Log): string | null {
  try {
    return socketPath(layout, id);
  } catch (error) {
    log.write("warn", "no place for a socket", { session_id: id, error: String(error) });
    return null;
  }
}
