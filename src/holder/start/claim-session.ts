/** Claims a session's id, directory and socket path, and makes its first record. */
import type { Log } from "../../platform/log/log.ts";
import { ownIdentity } from "../../platform/process/processes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { FORMAT_VERSION, type Meta } from "../../protocol/types/session.ts";
import { newSessionId, requireSessionId } from "../../protocol/types/session-id.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { type Layout, socketPath } from "../../transcript/layout.ts";
import { SessionDir } from "../../transcript/session-dir.ts";

/**
 * Claims the requested id, or a new one. A requested id that exists is an error; a generated one is
 * tried again.
 */
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

/** The fields of `meta.json` that the start request decides. */
export type RequestedMeta = Omit<
  Meta,
  "format" | "session_id" | "created_at" | "started_at" | "process" | "holder" | "socket" | "holt_version"
>;

export interface ClaimedSession {
  layout: Layout;
  id: string;
  log: Log;
  /** Set when the socket listens already. */
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
    socket: socket ?? socketPathOrNull(layout, id, log),
    holt_version: VERSION,
  };
}

/** Null when no socket path is possible: readers then watch the files. */
function socketPathOrNull(layout: Layout, id: string, log: Log): string | null {
  try {
    return socketPath(layout, id);
  } catch (error) {
    log.write("warn", "no socket path possible", { session_id: id, error: String(error) });
    return null;
  }
}
