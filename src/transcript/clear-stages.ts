/** A holder that was ended at its rehearsal (holder/warm.ts) leaves its stage behind. */
import { closeQuietly } from "../platform/descriptors.ts";
import { openDirectory } from "../platform/files.ts";
import { readdirSync } from "../platform/fs.ts";
import { processStatus } from "../platform/processes.ts";
import { removeTreeAt } from "../platform/remove-tree.ts";
import type { Layout } from "./layout.ts";

export function clearStages({ run }: Layout): void {
  const fd = openDirectory(run);
  if (fd === null) return;
  try {
    for (const name of readdirSync(run)) {
      const pid = /^rehearsal-(\d+)$/.exec(name)?.[1];
      if (pid !== undefined && processStatus(Number(pid)) === null) removeTreeAt({ fd, path: run }, name);
    }
  } catch {
    // The next sweep tries again.
  } finally {
    closeQuietly(fd);
  }
}
