/** A holder that was killed leaves its socket, at which nobody answers any more. */
import { closeSync, lstatSync, unlinkSync } from "node:fs";
import { tryLockShared } from "../platform/lock.ts";
import { isSocketPathOf, type Layout } from "./layout.ts";
import { orNull } from "./removal.ts";
import type { SessionDir } from "./session-dir.ts";

/**
 * Under a shared lock: no removal can take the session away meanwhile, so no new holder can have its id, and with that the
 * same socket; and nobody who only asks takes us for its holder.
 */
export function removeStaleSocket(layout: Layout, dir: SessionDir, socket: string | null): void {
  if (socket === null || !isSocketPathOf(layout, dir.id, socket) || !isSocket(socket)) return;
  orNull(() => {
    const lock = dir.openArtifact("append.lock", "read");
    try {
      if (tryLockShared(lock) && dir.isInPlace()) unlinkSync(socket);
    } finally {
      closeSync(lock);
    }
  });
}

function isSocket(path: string): boolean {
  return orNull(() => lstatSync(path).isSocket()) ?? false;
}
