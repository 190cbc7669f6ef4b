/** The daemon: serves the protocol table on a unix socket. It owns no session and may die at any moment. One for each state directory (lock.ts). */
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
/** With fewer it would come up, and accept nobody. */
const FEWEST_DESCRIPTORS = 32;

/** In the background, for whoever started it (client/daemon/ensure-daemon.ts). */
export async function main(): Promise<number> {
  try {
    return await serveHere(() => redirectToNull(STDERR));
  } catch (error) {
    await tell(error);
    process.exit(1); // what watches descriptors would keep the process for ever
  }
}

/** Answers when there is another; otherwise the process ends with the daemon. */
export async function serveHere(isUp: () => void = () => {}): Promise<number> {
  const layout = layoutAt(stateRoot());
  process.chdir("/");
  checkRuntimeNeeds();
  raiseOpenFiles();
  const descriptors = descriptorLimit();
  if (descriptors < FEWEST_DESCRIPTORS)
    throw new SystemError(
      "listen",
      "EMFILE",
      `with ${descriptors} descriptors, of which a daemon needs ${FEWEST_DESCRIPTORS}`,
    );
  prepareLayout(layout);
  process.on("SIGUSR1", () => {}); // who finds our lock and no socket yet may ask for it
  const lock = await DaemonLock.make(layout);
  if (lock === null) return 0;
  const { serve } = await import("./serve.ts");
  await serve({ layout, lock, isUp });
  // What watches descriptors would keep the process for ever.
  process.exit(0);
}

/** To whoever waits for the daemon, and to the log, where that can be written. */
async function tell(error: unknown): Promise<void> {
  const { stateError } = await import("../../client/state-error.ts");
  const known = stateError(error, "start a daemon");
  const told =
    known instanceof HoltError ? known : new HoltError("EINTERNAL", `the daemon cannot start: ${String(error)}`);
  try {
    writeSync(STDERR, startFailureLine(told));
  } catch {
    // nobody waits for it
  }
  using log = openLog(layoutAt(stateRoot()).logFile);
  log.write("error", "the daemon cannot start", { error: String(error) });
}
