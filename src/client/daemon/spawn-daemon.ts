/**
 * Starts a daemon process detached from its parent: its own session, no terminal, `/` as its
 * working directory.
 */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly, keepFromChildren } from "../../platform/fs/descriptors.ts";
import { openSync } from "../../platform/fs/libc-fs.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { ownEnvironment } from "../../platform/process/own-environment.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { DAEMON_COMMAND } from "../../protocol/wire/start-request.ts";
import type { Layout } from "../../transcript/layout.ts";

/** Bun does not pass inherited descriptors to children, except 0 to 3. */
const FIRST_AFTER_STDERR = 3;

/**
 * Returns the pid. The daemon exits if another one runs. `errorFd` is its stderr until it serves:
 * an error that prevents the start is written there.
 */
export function spawnDaemon(layout: Layout, errorFd: number | null = null): number {
  keepFromChildren(FIRST_AFTER_STDERR); // the daemon must not keep an inherited lock or pipe end open
  const devNull = openSync("/dev/null", fileConstants.O_RDWR);
  try {
    const argv = [...ownCommand(), DAEMON_COMMAND].map(bytesOf);
    return spawn({
      path: argv[0] ?? new Uint8Array(0),
      argv,
      env: ownEnvironment({ HOLT_STATE_DIR: layout.root }),
      fds: new Map([0, 1, 2].map((fd) => [fd, fd === 2 ? (errorFd ?? devNull) : devNull])),
      place: "new_session",
      signals: "default",
    });
  } finally {
    closeQuietly(devNull);
  }
}
