/**
 * The daemon: serves the protocol table on a unix socket. It owns no session and may die at any moment.
 *
 * One for each state directory: the lock is held from before the socket's old name is removed until the process ends, so that two
 * who start at once cannot take each other's name away. Who finds it held leaves, for there is a daemon already; where nobody listens, that
 * one is just ending, or just coming up, and a moment tells.
 */
import { fileConstants } from "../platform/constants.ts";
import { withPrivateUmask } from "../platform/files.ts";
import { ftruncateSync, openSync, writeSync } from "../platform/fs.ts";
import { tryLockExclusive } from "../platform/lock.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { dialUnix } from "../platform/unix-socket.ts";
import {
  daemonLockPath,
  daemonSocketPath,
  type Layout,
  layoutAt,
  prepareLayout,
  stateRoot,
} from "../transcript/layout.ts";

const ENDING_MS = 1500;
const LOOK_MS = 10;

/** Answers when the daemon ends. */
export async function main(): Promise<number> {
  const layout = layoutAt(stateRoot());
  process.chdir("/");
  prepareLayout(layout);
  if (!(await claim(layout))) return 0;
  const { serve } = await import("./serve.ts");
  await serve(layout);
  // What watches descriptors would keep the process for ever.
  process.exit(0);
}

/** For as long as this process lives: the descriptor is never closed. */
async function claim(layout: Layout): Promise<boolean> {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = fileConstants;
  const lock = withPrivateUmask(() => openSync(daemonLockPath(layout), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
  for (const until = performance.now() + ENDING_MS; !tryLockExclusive(lock); await Bun.sleep(LOOK_MS))
    if (performance.now() > until || somebodyListens(layout)) return false;
  ftruncateSync(lock, 0);
  writeSync(lock, `${process.pid}\n`);
  return true;
}

function somebodyListens(layout: Layout): boolean {
  try {
    const fd = dialUnix(daemonSocketPath(layout));
    if (fd !== null) closeQuietly(fd);
    return fd !== null;
  } catch {
    return true; // so many wait for it that no more may
  }
}
