/**
 * The holder of a background session: it reads a start request (start-channel.ts), replies, and
 * holds the session until the command and everything that it left behind have ended. With a restart
 * policy it then holds the sessions that follow.
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
import { RestartChain } from "./restart-chain.ts";
import type { HeldSession } from "../session/held-session.ts";
import { Launcher } from "./launcher.ts";
import { pipeStartChannel, type StartChannel } from "./start-channel.ts";
import type { HolderStorage } from "./warm.ts";

const HOLT_FAILED = 125;

export async function main(args: readonly string[]): Promise<never> {
  raiseOpenFiles();
  const layout = layoutAt(stateRoot());
  if (args[0] === WARM) await (await import("./warm.ts")).holdSessions(layout, runSession, becomeIdle);
  else if ((await runSession(pipeStartChannel(), { layout, reservedDir: null })) === "failed") process.exit(1);
  // Descriptor watches would keep the process alive.
  process.exit(0);
}

/** Runs one session, from the request to its final record, and the restarts that follow it. */
async function runSession(channel: StartChannel, storage: HolderStorage): Promise<"no_request" | "failed" | "ended"> {
  const request = channel.request();
  if (request === null) {
    storage.reservedDir?.[Symbol.dispose]();
    return "no_request";
  }
  using log = openLog(storage.layout.logFile, request.log);
  let chain: RestartChain;
  let session: HeldSession;
  try {
    if (storage.reservedDir === null) {
      checkRuntimeNeeds();
      prepareLayout(storage.layout);
    }
    chain = new RestartChain(new Launcher(request, storage, log), channel);
    // Before the session exists: a failure here, or an early signal, would leave a session that
    // looks lost.
    watchSignals(chain);
    session = await chain.begin(({ record: { dir, meta }, transport: { pid } }) =>
      channel.reply({ session_id: dir.id, pid, meta }),
    );
  } catch (error) {
    const { code, message, hint } = error instanceof HoltError ? error : unexpectedError(error);
    const exitCode = error instanceof SpawnFailure ? error.exitCode : HOLT_FAILED;
    channel.reply({ error: { code, message, hint }, exit_code: exitCode });
    return "failed";
  }
  await chain.hold(session);
  return "ended";
}

/** The chain that signals apply to. Between sessions there is none. */
let current: RestartChain | null = null;
let signals: SignalSource | null = null;
const ENDING: readonly SignalName[] = ["SIGTERM", "SIGINT", "SIGQUIT"];

function watchSignals(chain: RestartChain): void {
  current = chain;
  signalSource();
}

function signalSource(): SignalSource {
  return (signals ??= onSignals(["SIGCHLD", ...ENDING_SIGNALS], onSignal));
}

/**
 * Discards signals for the previous session; a pending SIGTERM ends the holder. Runs before a
 * command is started.
 */
function becomeIdle(): void {
  current = null;
  signalSource().collect();
}

/**
 * SIGTERM, SIGINT and SIGQUIT end the session. SIGHUP does not: there is no terminal. Neither do
 * signals that are meant for another process or for the command.
 */
function onSignal({ signal, pid, mayBeStop }: SignalArrival): void {
  if (signal === "SIGCHLD") {
    if (current === null) waitFor(pid, { block: false, stops: false });
    else current.childChanged(pid, mayBeStop);
  } else if (signal === "SIGUSR1") current?.rebindIfMissing();
  else if (signal === LAST_ATTEMPT_SIGNAL) current?.endAfterThis();
  else if (!ENDING.includes(signal)) return;
  else if (current === null) dieBy(signalNumber(signal));
  else current.stop();
}

function unexpectedError(error: unknown): HoltError {
  return new HoltError("EIO", `cannot start a session: ${error instanceof Error ? error.message : String(error)}`, {
    hint:
      errnoOf(error) === "EMFILE"
        ? "the command was not started; raise the limit on open files, e.g. `ulimit -n 1024`"
        : `the command was not started; sessions are kept in ${stateRoot()} (change it with HOLT_STATE_DIR)`,
  });
}
