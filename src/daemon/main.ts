/**
 * The daemon: serves the protocol table on a unix socket. It owns no session and may die at any moment.
 *
 * One for each state directory: the lock is held from before the socket's old name is removed until the process ends, so that two
 * who start at once cannot take each other's name away. Who finds it held leaves, for there is a daemon already.
 */
import { fileConstants } from "../platform/constants.ts";
import { withPrivateUmask } from "../platform/files.ts";
import { ftruncateSync, openSync, writeSync } from "../platform/fs.ts";
import { tryLockExclusive } from "../platform/lock.ts";
import { daemonLockPath, type Layout, layoutAt, prepareLayout, stateRoot } from "../transcript/layout.ts";

/** Answers when the daemon ends. */
export async function main(): Promise<number> {
  const layout = layoutAt(stateRoot());
  process.chdir("/");
  prepareLayout(layout);
  if (!claim(layout)) return 0;
  const { serve } = await import("./serve.ts");
  await serve(layout);
  // What watches descriptors would keep the process for ever.
  process.exit(0);
}

/** For as long as this process lives: the descriptor is never closed. */
function claim(layout: Layout): boolean {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = fileConstants;
  const lock = withPrivateUmask(() => openSync(daemonLockPath(layout), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
  if (!tryLockExclusive(lock)) return false;
  ftruncateSync(lock, 0);
  writeSync(lock, `${process.pid}\n`);
  return true;
}
