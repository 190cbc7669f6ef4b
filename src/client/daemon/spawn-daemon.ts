/** Starts a daemon that is nobody's child for long: a session of its own, no terminal, `/` as its directory. */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly, keepFromChildren } from "../../platform/fs/descriptors.ts";
import { openSync } from "../../platform/fs/libc-fs.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { ownEnvironment } from "../../platform/process/own-environment.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { DAEMON_COMMAND } from "../../protocol/wire/start-request.ts";
import type { Layout } from "../../transcript/layout.ts";

/** The runtime lets children have none of the descriptors that it was started with, but for 0 to 3. */
const FIRST_AFTER_STDERR = 3;

/** It leaves by itself when there is one already. Its pid. Where it cannot start, it says why to `told`, which is its stderr until it serves. */
export function spawnDaemon(layout: Layout, errorFd: number | null = null): number {
  keepFromChildren(FIRST_AFTER_STDERR); // a lock, or a pipe's end, of whoever started us would be held for as long as the daemon runs
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
