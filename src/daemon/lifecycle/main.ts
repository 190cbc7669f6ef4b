/**
 * Entry point of the daemon, which serves the protocol table on a unix socket. It owns no session
 * and may die at any moment. One runs per state directory (daemon-lock.ts).
 */
import { descriptorLimit, redirectToNull } from "../../platform/fs/descriptors.ts";
import { raiseOpenFiles } from "../../platform/process/open-files.ts";
import { writeSync } from "../../platform/fs/libc-fs.ts";
import { SystemError } from "../../platform/native/libc.ts";
import { checkRuntimeNeeds } from "../../platform/runtime-needs.ts";
import { openLog } from "../../platform/log/log.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { startFailureLine } from "../../protocol/wire/json-rpc.ts";
import { layoutAt, prepareLayout, stateRoot } from "../../transcript/layout.ts";
import { DaemonLock } from "./daemon-lock.ts";

const STDERR = 2;
/** With fewer the daemon would start and accept no connection. */
const MIN_DESCRIPTORS = 32;

/** Runs as a background process; client/daemon/ensure-daemon.ts starts it. */
export async function main(): Promise<number> {
  try {
    return await serveHere(() => redirectToNull(STDERR));
  } catch (error) {
    await reportError(error);
    process.exit(1); // open watches would keep the process alive
  }
}

/** Returns if another daemon runs; otherwise the process exits with the daemon. */
export async function serveHere(onUp: () => void = () => {}): Promise<number> {
  const layout = layoutAt(stateRoot());
  process.chdir("/");
  checkRuntimeNeeds();
  raiseOpenFiles();
  const descriptors = descriptorLimit();
  if (descriptors < MIN_DESCRIPTORS)
    throw new SystemError("listen", "EMFILE", `too few descriptors: ${descriptors}, a daemon needs ${MIN_DESCRIPTORS}`);
  prepareLayout(layout);
  process.on("SIGUSR1", () => {}); // a second daemon that finds the lock but no socket sends SIGUSR1
  const lock = await DaemonLock.acquire(layout);
  if (lock === null) return 0;
  const { serve } = await import("./serve.ts");
  await serve({ layout, lock, onUp });
  // Open watches would keep the process alive.
  process.exit(0);
}

/** Reports the error to the client that waits for the daemon, and to the log. */
async function reportError(error: unknown): Promise<void> {
  const { stateError } = await import("../../client/state-error.ts");
  const known = stateError(error, "start a daemon");
  const reported =
    known instanceof HoltError ? known : new HoltError("EINTERNAL", `the daemon cannot start: ${String(error)}`);
  try {
    writeSync(STDERR, startFailureLine(reported));
  } catch {
    // no client is waiting
  }
  using log = openLog(layoutAt(stateRoot()).logFile);
  log.write("error", "the daemon cannot start", { error: String(error) });
}
