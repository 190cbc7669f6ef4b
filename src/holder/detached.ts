/**
 * A holder on its own: nobody's terminal, nobody's child. It is told on a pipe what to start, answers how that went, and then holds the
 * session until its command and all that the command left behind have ended.
 */
import { type Log, openLog } from "../platform/log.ts";
import { environmentKeys } from "../platform/raw-arguments.ts";
import { onSignals, signalNumber } from "../platform/signals.ts";
import { kindOf, pathStat } from "../platform/stat.ts";
import { bytesOf, startsWith, textOf } from "../protocol/bytes.ts";
import { errnoOf, HoltError } from "../protocol/errors.ts";
import { type StartRequest, WARM } from "../protocol/start-request.ts";
import { startPipes } from "../process/pipes.ts";
import { startPty } from "../process/pty.ts";
import { NOT_EXECUTABLE, resolveCommand, SpawnFailure, spawnFailure } from "../process/resolve-command.ts";
import type { SpawnSpec } from "../process/transport.ts";
import { type Layout, layoutAt, prepareLayout, stateRoot } from "../transcript/layout.ts";
import { claimSession } from "./claim.ts";
import { onceContinued } from "./halted.ts";
import { HeldSession } from "./held-session.ts";
import { quietAfterFrom } from "./quiet-watch.ts";
import { pipeStarter, type Starter } from "./starter.ts";
import { DelayedSweep } from "./start-sweep.ts";

/** A terminal or pipe that something left behind holds open is read for this long. */
const DRAIN_MS = 2000;
/** What the command left behind has this long after SIGTERM. */
const LEFT_BEHIND_MS = 1000;
const HOLT_FAILED = 125;
const SIGSTOP = signalNumber("SIGSTOP");
const NOTHING = new Uint8Array(0);

export async function main(args: readonly string[]): Promise<never> {
  const layout = layoutAt(stateRoot());
  const starter = args[0] === WARM ? await (await import("./warm.ts")).warmStarter(layout, play) : pipeStarter();
  let sweep: DelayedSweep | null = null;
  const session = await play(starter, layout, (begun) => {
    sweep = new DelayedSweep(layout, (pid) => begun.disown(pid));
  });
  (sweep as DelayedSweep | null)?.now();
  // What watches descriptors would keep the process for ever.
  process.exit(session === "failed" ? 1 : 0);
}

/** A whole session, from the request to its last word. */
async function play(
  starter: Starter,
  layout: Layout,
  begun: (session: HeldSession) => void = () => {},
): Promise<"unasked" | "failed" | "ended"> {
  const request = starter.request();
  if (request === null) return "unasked";
  using log = openLog(layout.logFile);
  let session: HeldSession;
  try {
    session = await begin(request, starter, { layout, log });
  } catch (error) {
    const { code, message, hint } = error instanceof HoltError ? error : unforeseen(error);
    const exitCode = error instanceof SpawnFailure ? error.exitCode : HOLT_FAILED;
    starter.reply({ error: { code, message, hint }, exit_code: exitCode });
    return "failed";
  }
  begun(session);
  const { ending, usage } = await session.ended();
  const complete = await session.drain(DRAIN_MS);
  await session.endLeftBehind(LEFT_BEHIND_MS);
  await session.finish(ending, usage, complete, () => starter.ended(session.record.dir.id));
  return "ended";
}

async function begin(
  request: StartRequest,
  starter: Starter,
  { layout, log }: { layout: Layout; log: Log },
): Promise<HeldSession> {
  if (!starter.isPrepared) prepareLayout(layout);
  const dir = claimSession(layout, request.session_id);
  const argv = request.argv.map((word) => Uint8Array.fromBase64(word));
  const mark = bytesOf("HOLT_SESSION_ID=");
  const given = request.env.map((entry) => Uint8Array.fromBase64(entry)).filter((entry) => !startsWith(entry, mark));
  const env = [...given, bytesOf(`HOLT_SESSION_ID=${dir.id}`)];
  const size = request.size === null ? null : { ...request.size, width: 0, height: 0 };
  const session = new HeldSession({
    layout,
    dir,
    log,
    request: {
      name: request.name,
      argv: argv.map(textOf),
      cwd: request.cwd,
      env_keys: environmentKeys(env),
      transport_mode: size === null ? "pipe" : "posix-pty",
      tty_attached: false,
      size,
      project_id: request.project_id,
      shared: true,
      retention_seconds: request.retention_seconds,
      max_output_bytes: request.max_output_bytes,
    },
    reserved: { input: null, size: size === null ? "it has no terminal" : null },
    quietAfterMs: quietAfterFrom(given),
  });
  try {
    const spec = enter(request, argv, env);
    watchSignals(session);
    await session.start(
      (events) =>
        size === null
          ? startPipes(spec, events, { stdin: "piped" })
          : startPty({ spec, size, termios: null, typedAhead: NOTHING, stderr: "terminal" }, events),
      {
        starting() {},
        made() {},
        output() {},
        // Nobody's shell would ever continue it; who used SIGSTOP means to.
        stopped(signal) {
          if (signal === SIGSTOP) onceContinued(session, () => session.transport.resume());
          else session.transport.resume();
        },
        inputDrained() {},
      },
      { timeoutMs: request.timeout_ms, idleTimeoutMs: request.idle_timeout_ms },
    );
  } catch (error) {
    const failure = error instanceof SpawnFailure ? error : spawnFailure(error, textOf(argv[0] ?? NOTHING));
    await session.fail(failure);
    throw failure;
  }
  process.chdir("/"); // the directory is the command's, and may be unmounted once that has ended
  starter.reply({ session_id: dir.id, pid: session.transport.pid, meta: session.record.meta });
  return session;
}

/** The working directory is looked at first: a bad one would otherwise be reported as a missing command. */
function enter({ cwd, umask }: StartRequest, argv: Uint8Array[], env: Uint8Array[]): SpawnSpec {
  try {
    if (kindOf(pathStat(cwd)) !== "directory") throw new HoltError("EBADARGS", "not a directory");
    process.chdir(cwd);
  } catch (error) {
    const why = error instanceof HoltError ? error.message : (errnoOf(error) ?? String(error));
    throw new SpawnFailure(NOT_EXECUTABLE, `cannot enter the working directory ${cwd}: ${why}`);
  }
  process.umask(umask);
  const prefix = bytesOf("PATH=");
  const path = env.find((entry) => startsWith(entry, prefix))?.subarray(prefix.length) ?? null;
  return { path: resolveCommand(argv[0] ?? NOTHING, path), argv, env, inherited: [] };
}

/** Whose signals they are. */
let held: HeldSession | null = null;

/** To end a holder is to end its session. A hang-up is not: there is nobody to hang up on. */
function watchSignals(session: HeldSession): void {
  const isNew = held === null;
  held = session;
  if (!isNew) return;
  onSignals(["SIGCHLD", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"], ({ signal, pid }) => {
    if (signal === "SIGCHLD") held?.childChanged(pid);
    else if (signal === "SIGUSR1") held?.rebindIfMissing();
    else if (signal !== "SIGHUP" && held?.hasEnded === false) void held.stop("stop_requested");
  });
}

function unforeseen(error: unknown): HoltError {
  return new HoltError("EIO", `cannot start a session: ${error instanceof Error ? error.message : String(error)}`, {
    hint: "the command was not started",
  });
}
