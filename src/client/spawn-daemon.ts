/** Starts a daemon that is nobody's child for long: a session of its own, no terminal, `/` as its directory. */
import { fileConstants } from "../platform/constants.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { openSync } from "../platform/fs.ts";
import { ownCommand } from "../platform/own-command.ts";
import { environmentWithout } from "../platform/raw-arguments.ts";
import { spawn } from "../platform/spawn.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { DAEMON_COMMAND } from "../protocol/start-request.ts";
import type { Layout } from "../transcript/layout.ts";

/** It leaves by itself when there is one already. Its pid. */
export function spawnDaemon(layout: Layout): number {
  const nowhere = openSync("/dev/null", fileConstants.O_RDWR);
  try {
    const argv = [...ownCommand(), DAEMON_COMMAND].map(bytesOf);
    const kept = environmentWithout("HOLT_STATE_DIR", "HOLT_SESSION_ID");
    return spawn({
      path: argv[0] ?? new Uint8Array(0),
      argv,
      env: [...kept, bytesOf(`HOLT_STATE_DIR=${layout.root}`)],
      fds: new Map([0, 1, 2].map((fd) => [fd, nowhere])),
      place: "own_session",
      signals: "default",
    });
  } finally {
    closeQuietly(nowhere);
  }
}
