// Loaded before every test file (bunfig.toml): a file that ends with more open fds than it began with fails.
// Processes and files left behind are looked for by scripts/run-tests.ts, once this process has ended.

import { afterAll } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";

// Without its environment a test could write to the user's own sessions. It cannot be mended from here:
// Bun.spawn passes on the environment that this process was started with, not what is set in process.env.
if (process.env.HOLT_TEST_RUN === undefined) {
  console.error("run tests with: node_modules/.bin/bun scripts/run-tests.ts test/some/file.test.ts [-t TITLE]");
  process.exit(1);
}

/** How long an fd that is being closed may take. */
const GRACE_MS = 2000;

const before = openFds();

afterAll(async () => {
  const deadline = performance.now() + GRACE_MS;
  let left = leaked();
  while (left.length > 0 && performance.now() < deadline) {
    Bun.gc(true); // what only waits for its finalizer is not a leak
    await Bun.sleep(20);
    left = leaked();
  }
  if (left.length > 0)
    throw new Error(`fds left open:\n${left.map(([fd, target]) => `  ${fd} -> ${target}`).join("\n")}`);
});

function leaked(): [string, string][] {
  const now = openFds();
  // The runtime duplicates its stdio when process.stdout and the like are first used.
  const stdio = ["0", "1", "2"].map((fd) => now.get(fd));
  return [...now].filter(([fd, target]) => before.get(fd) !== target && !stdio.includes(target));
}

/** fd -> what it is open on. Not the runtime's own: epoll, eventfd, timerfd, pidfd and the like are `anon_inode`. */
function openFds(): Map<string, string> {
  const fds = new Map<string, string>();
  if (!existsSync("/proc/self/fd")) return fds; // not Linux: not looked for
  for (const fd of readdirSync("/proc/self/fd")) {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      if (!target.startsWith("anon_inode:")) fds.set(fd, target);
    } catch {
      // The fd that read the directory.
    }
  }
  return fds;
}
