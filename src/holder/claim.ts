/** What a session needs before it is one: a name of its own, and a place for its socket. */
import type { Log } from "../platform/log.ts";
import { ownIdentity } from "../platform/processes.ts";
import { HoltError } from "../protocol/errors.ts";
import { newMeta, type SessionRequest } from "../protocol/new-meta.ts";
import type { Meta, ProcessIdentity } from "../protocol/session.ts";
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

/** What its holder writes down. `awaiting`: the process that is to become the command, where it is there already. */
export function metaFor(
  request: SessionRequest,
  { layout, id, log, awaiting = null }: { layout: Layout; id: string; log: Log; awaiting?: ProcessIdentity | null },
): Meta {
  const socket = socketOrNone(layout, id, log);
  return newMeta(request, { session_id: id, holder: ownIdentity(), socket, awaiting });
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
