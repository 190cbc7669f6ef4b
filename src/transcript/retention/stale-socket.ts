/** Removes sockets of killed holders: the holder's own, and those of the session's channels. */
import { closeSync, lstatSync, unlinkSync } from "node:fs";
import { tryLockShared } from "../../platform/fs/lock.ts";
import type { Meta } from "../../protocol/types/session.ts";
import { isReservedSocket } from "../write/reserved-dir.ts";
import { channelSocketKey, expectedSocketPath, type Layout } from "../layout.ts";
import { orNull } from "../or-null.ts";
import type { SessionDir } from "../session-dir.ts";

type Named = Pick<Meta, "session_id" | "socket" | "channels">;

/** The sockets named in its record that belong to it. */
export function socketsOf(layout: Layout, { session_id, socket, channels }: Named): string[] {
  const own = expectedSocketPath(layout, session_id);
  const named = channels
    .filter(({ source }) => source === "socket")
    .map(({ name }) => expectedSocketPath(layout, channelSocketKey(session_id, name)));
  return socket !== null && (socket === own || isReservedSocket(layout, socket)) ? [socket, ...named] : named;
}

/**
 * Holds a shared lock: no removal and no new holder can take the id, and so the socket paths,
 * meanwhile; and a probe for an exclusive lock does not see a holder.
 */
export function removeStaleSockets(dir: SessionDir, sockets: readonly string[]): void {
  if (!sockets.some(isSocket)) return;
  orNull(() => {
    const lock = dir.openArtifact("append.lock", "read");
    try {
      if (tryLockShared(lock) && dir.isInPlace()) sockets.forEach(removeSocket);
    } finally {
      closeSync(lock);
    }
  });
}

export function removeSocket(path: string): void {
  orNull(() => {
    if (isSocket(path)) unlinkSync(path);
  });
}

function isSocket(path: string): boolean {
  return orNull(() => lstatSync(path).isSocket()) ?? false;
}
