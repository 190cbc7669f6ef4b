/**
 * A holder on its own: nobody's terminal, nobody's child. It is told what to start (start-channel.ts), answers how that went, and then holds the
 * session until its command and all that the command left behind have ended; and the sessions after it, when it is to be started again.
 */
import { openLog } from "../../platform/log/log.ts";
import { raiseOpenFiles } from "../../platform/process/open-files.ts";
import { checkRuntimeNeeds } from "../../platform/runtime-needs.ts";
import {
  dieBy,
  ENDING_SIGNALS,
  onSignals,
  type SignalArrival,
  type SignalName,
  signalNumber,
  type SignalSource,
} from "../../platform/process/signals.ts";
import { waitFor } from "../../platform/process/wait.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { LAST_ATTEMPT_SIGNAL } from "../../protocol/types/restart.ts";
import { WARM } from "../../protocol/wire/start-request.ts";
import { SpawnFailure } from "../../process/resolve-command.ts";
import { layoutAt, prepareLayout, stateRoot } from "../../transcript/layout.ts";
import { Chain } from "./restart-chain.ts";
import type { HeldSession } from "../session/held-session.ts";
import { Launcher } from "./launcher.ts";
import { pipeStarter, type Starter } from "./start-channel.ts";
import type { Stage } from "./warm.ts";

const HOLT_FAILED = 125;

export async function main(args: readonly string[]): Promise<never> {
  raiseOpenFiles();
  const layout = layoutAt(stateRoot());
  if (args[0] === WARM) await (await import("./warm.ts")).holdSessions(layout, play, rest);
  else if ((await play(pipeStarter(), { layout, berth: null })) === "failed") process.exit(1);
  // What watches descriptors would keep the process for ever.
  process.exit(0);
}

/** A whole session, from the request to its last word, and those that follow it. */
async function play(starter: Starter, stage: Stage): Promise<"unasked" | "failed" | "ended"> {
  const request = starter.request();
  if (request === null) {
    stage.berth?.[Symbol.dispose]();
    return "unasked";
  }
  using log = openLog(stage.layout.logFile, request.log);
  let chain: Chain;
  let session: HeldSession;
  try {
    if (stage.berth === null) {
      checkRuntimeNeeds();
      prepareLayout(stage.layout);
    }
    chain = new Chain(new Launcher(request, stage, log), starter);
    // Before there is a session that would look lost if this fails, or if a signal comes too early.
    watchSignals(chain);
    session = await chain.begin(({ record: { dir, meta }, transport: { pid } }) =>
      starter.reply({ session_id: dir.id, pid, meta }),
    );
  } catch (error) {
    const { code, message, hint } = error instanceof HoltError ? error : unforeseen(error);
    const exitCode = error instanceof SpawnFailure ? error.exitCode : HOLT_FAILED;
    starter.reply({ error: { code, message, hint }, exit_code: exitCode });
    return "failed";
  }
  await chain.hold(session);
  return "ended";
}

/** Whose signals they are. Between its sessions a holder has none. */
let held: Chain | null = null;
let signals: SignalSource | null = null;
const TO_END: readonly SignalName[] = ["SIGTERM", "SIGINT", "SIGQUIT"];

function watchSignals(whose: Chain): void {
  held = whose;
  heard();
}

function heard(): SignalSource {
  return (signals ??= onSignals(["SIGCHLD", ...ENDING_SIGNALS], arrived));
}

/** What came for the last session is over; who wanted the holder to end is heard. A command may be started before anybody else listens. */
function rest(): void {
  held = null;
  heard().collect();
}

/** To end a holder is to end its session. A hang-up is not: there is nobody to hang up on; nor is what was meant for somebody else, or for a command that may take more time. */
function arrived({ signal, pid, mayBeStop }: SignalArrival): void {
  if (signal === "SIGCHLD") {
    if (held === null) waitFor(pid, { block: false, stops: false });
    else held.childChanged(pid, mayBeStop);
  } else if (signal === "SIGUSR1") held?.rebindIfMissing();
  else if (signal === LAST_ATTEMPT_SIGNAL) held?.endAfterThis();
  else if (!TO_END.includes(signal)) return;
  else if (held === null) dieBy(signalNumber(signal));
  else held.stop();
}

function unforeseen(error: unknown): HoltError {
  return new HoltError("EIO", `cannot start a session: ${error instanceof Error ? error.message : String(error)}`, {
    hint:
      errnoOf(error) === "EMFILE"
        ? "the command was not started; raise the limit on open files, e.g. `ulimit -n 1024`"
        : `the command was not started; sessions are kept in ${stateRoot()}: HOLT_STATE_DIR says where else`,
  });
}
