/**
 * Control groups of sessions. Each is recorded in run/ before it is created, so that a later sweep
 * can remove it after its holder was killed or while processes linger, even if the session is gone.
 */
import { fileConstants, O_CLOEXEC } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import {
  entriesIn,
  openSync,
  readFileSync,
  removeDirectoryIfFree,
  unlinkIfThere,
  writeAll,
} from "../../platform/fs/libc-fs.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import type { Layout } from "../layout.ts";
import { SessionDir } from "../session-dir.ts";

const NOTE = /^group-[0-9a-f]{16}$/;

/** The hash covers the root: two state directories may use the same id. */
export function groupName(layout: Layout, sessionId: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${layout.root}\0${sessionId}`).digest("hex");
  return `holt-${hash.slice(0, 16)}`;
}

export function recordGroup(layout: Layout, sessionId: string, path: string): void {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = fileConstants;
  const flags = O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY | O_CLOEXEC;
  const fd = withPrivateUmask(() => openSync(notePath(layout, sessionId), flags, 0o600));
  try {
    writeAll(fd, bytesOf(`${JSON.stringify({ session_id: sessionId, path })}\n`));
  } finally {
    closeQuietly(fd);
  }
}

export function forgetGroup(layout: Layout, sessionId: string): void {
  unlinkIfThere(notePath(layout, sessionId));
}

/** Removes empty groups of sessions without a holder. */
export function clearGroups(layout: Layout): void {
  for (const name of entriesIn(layout.run)) {
    if (!NOTE.test(name)) continue;
    try {
      const { session_id, path } = JSON.parse(textOf(readFileSync(`${layout.run}/${name}`))) as Note;
      const isOurs = typeof session_id === "string" && path.endsWith(`/${groupName(layout, session_id)}`);
      if (isOurs && !isHeld(layout, session_id) && removeDirectoryIfFree(path)) forgetGroup(layout, session_id);
    } catch {
      // Written at this moment, or of another user: the next sweep tries again.
    }
  }
}

interface Note {
  session_id: string;
  path: string;
}

function notePath(layout: Layout, sessionId: string): string {
  return `${layout.run}/group-${groupName(layout, sessionId).slice("holt-".length)}`;
}

function isHeld(layout: Layout, sessionId: string): boolean {
  try {
    using dir = SessionDir.open(layout, sessionId);
    return dir.isHeld();
  } catch {
    return false; // removed
  }
}
