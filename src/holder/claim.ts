/** What a session needs before it is one: a name of its own, and a place for its socket. */
import type { Log } from "../platform/log.ts";
import { ownIdentity } from "../platform/processes.ts";
import { HoltError } from "../protocol/errors.ts";
import { newMeta, type SessionRequest } from "../protocol/new-meta.ts";
import type { Meta } from "../protocol/session.ts";
import { newSessionId, requireSessionId } from "../protocol/session-id.ts";
import { type Layout, socketPath } from "../transcript/layout.ts";
import { SessionDir } from "../transcript/session-dir.ts";

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

export interface Claimed {
  layout: Layout;
  id: string;
  log: Log;
  /** Where it listens already. */
  socket?: string | undefined;
}

/** What its holder writes down. */
export function metaFor(request: SessionRequest, { layout, id, log, socket }: Claimed): Meta {
  return newMeta(request, {
    session_id: id,
    holder: ownIdentity(),
    socket: socket ?? socketOrNone(layout, id, log),
  });
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
