/**
 * A holder on its own: nobody's terminal, nobody's child. It is told on a pipe what to start, answers how that went, and then holds the
 * session until its command and all that the command left behind have ended; and the sessions after it, when it is to be started again.
 */
import { closeQuietly } from "../platform/descriptors.ts";
import { openLog } from "../platform/log.ts";
import { onSignals } from "../platform/signals.ts";
import { fileStat, kindOf } from "../platform/stat.ts";
import { readToEnd, writeSync } from "../platform/fs.ts";
import { textOf } from "../protocol/bytes.ts";
import { HoltError } from "../protocol/errors.ts";
import { LAST_ATTEMPT_SIGNAL } from "../protocol/restart.ts";
import { REPLY_FD, REQUEST_FD, type StartReply, type StartRequest } from "../protocol/start-request.ts";
import { SpawnFailure } from "../process/resolve-command.ts";
import { layoutAt, prepareLayout, stateRoot } from "../transcript/layout.ts";
import { Chain, firstOf } from "./chain.ts";
import type { HeldSession } from "./held-session.ts";
import { Launcher } from "./launcher.ts";

const HOLT_FAILED = 125;

export async function main(): Promise<never> {
  let begun: { chain: Chain; session: HeldSession };
  try {
    begun = await begin(JSON.parse(textOf(readToEnd(REQUEST_FD))) as StartRequest);
  } catch (error) {
    const { code, message, hint } = error instanceof HoltError ? error : unforeseen(error);
    reply({ error: { code, message, hint }, exit_code: error instanceof SpawnFailure ? error.exitCode : HOLT_FAILED });
    process.exit(1);
  }
  const { chain, session } = begun;
  reply({ session_id: session.record.dir.id, pid: session.transport.pid });
  await chain.hold(session);
  // What watches descriptors would keep the process for ever.
  process.exit(0);
}

async function begin(request: StartRequest): Promise<{ chain: Chain; session: HeldSession }> {
  closeQuietly(REQUEST_FD);
  const layout = layoutAt(stateRoot());
  prepareLayout(layout);
  const launcher = new Launcher(request, layout, openLog(layout.logFile));
  const chain = new Chain(launcher);
  // Before there is a session that would look lost if this fails, or if a signal comes too early.
  watchSignals(chain);
  const { session_id, name, restart = null } = request;
  const record = launcher.claim({ session_id, name, previous_session_id: null, restart: firstOf(restart) });
  return { chain, session: await chain.begin(record) };
}

/** To end a holder is to end its session. A hang-up is not: there is nobody to hang up on. */
function watchSignals(chain: Chain): void {
  onSignals(["SIGCHLD", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", LAST_ATTEMPT_SIGNAL], ({ signal, pid }) => {
    if (signal === "SIGCHLD") chain.childChanged(pid);
    else if (signal === "SIGUSR1") chain.rebindIfMissing();
    else if (signal === LAST_ATTEMPT_SIGNAL) chain.endAfterThis();
    else if (signal !== "SIGHUP") chain.stop();
  });
}

/** Whoever asked may be gone. */
function reply(answer: StartReply): void {
  try {
    if (kindOf(fileStat(REPLY_FD)) === "other") writeSync(REPLY_FD, `${JSON.stringify(answer)}\n`);
  } catch {
    // The session is on disk all the same.
  }
  closeQuietly(REPLY_FD);
}

function unforeseen(error: unknown): HoltError {
  return new HoltError("EIO", `cannot start a session: ${error instanceof Error ? error.message : String(error)}`, {
    hint: "the command was not started",
  });
}
