/**
 * `holt run`: a holder in the foreground. The command gets the user's terminal or pipes as if it
 * ran without holt; every byte goes to the transcript first.
 *
 * Order of the start: the leader (it is slowest, and waits: main.ts), the id, the record, the
 * signals, then the command. Order of the end: the command's last byte to the user, the user's
 * terminal restored, `final.json`, the followers, then the command's own exit status.
 */
import { writeSync } from "../../platform/fs/libc-fs.ts";
import { inheritIgnoredSignals } from "../../platform/process/ignored-signals.ts";
import { commandLimits } from "../../platform/process/limits.ts";
import { openLog } from "../../platform/log/log.ts";
import { raiseOpenFiles } from "../../platform/process/open-files.ts";
import { dieBy, signalNumber } from "../../platform/process/signals.ts";
import { isBackgroundJob } from "../../platform/tty/background-job.ts";
import { isTerminal } from "../../platform/tty/terminal-device.ts";
import type { LogSettings } from "../../protocol/types/log-settings.ts";
import { type Limits, needsGroup, NO_LIMITS } from "../../protocol/types/limits.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { inheritedDescriptors } from "../../process/inherited-descriptors.ts";
import { startPipes } from "../../process/pipes/pipes.ts";
import { startPty } from "../../process/pty/pty.ts";
import {
  environmentKeys,
  inheritedVariable,
  rawArguments,
  rawEnvironment,
} from "../../platform/process/raw-arguments.ts";
import { resolveCommand, SpawnFailure, spawnFailure } from "../../process/resolve-command.ts";
import type { CommandEnd, SpawnSpec } from "../../process/transport.ts";
import { type Layout, layoutAt, prepareLayout, stateRoot } from "../../transcript/layout.ts";
import { openSession } from "../../transcript/write/open-session.ts";
import { forwardSignals } from "./forward-signals.ts";
import { NO_TERMINAL, OWN_SIZE, OWN_STDIN, OWN_TERMINAL } from "../session/reserved.ts";
import { DEFAULT_ATTACH_RULES } from "../../protocol/wire/client-rules.ts";
import { HeldSession } from "../session/held-session.ts";
import { UserOutputs } from "./user-outputs.ts";
import { UserTty } from "../../platform/tty/user-tty.ts";
import { SessionRecord } from "../session/session-record.ts";
import { claimSession, metaFor, type RequestedMeta } from "./claim-session.ts";
import { CarriageReturnFilter } from "./carriage-return-filter.ts";
import { DelayedSweep, SWEEP_EVERY_MS } from "./start-sweep.ts";
import type { SessionGroup } from "./session-group.ts";
import type { Timeouts } from "../session/timeouts.ts";

export { SpawnFailure } from "../../process/resolve-command.ts";
export { stateRoot } from "../../transcript/layout.ts";

/** Limit for reading a terminal or pipe that a leftover process holds open. */
const DRAIN_MS = 100;
const SIGPIPE = signalNumber("SIGPIPE");
const TERMINAL_CHANNELS = [
  ["pty", 1],
  ["stderr", 2],
] as const;
const PIPE_CHANNELS = [
  ["stdout", 1],
  ["stderr", 2],
] as const;
const MAX_TYPED_AHEAD = 64 * 1024;

export interface RunRequest extends Timeouts {
  /** As the runtime decoded it; the bytes are read from the process itself. */
  command: string[];
  sessionId: string | null;
  name: string | null;
  projectId: string | null;
  retentionSeconds: number;
  maxOutputBytes: number;
  shared: boolean;
  /** Null: the default level. */
  log: LogSettings | null;
  limits: Limits | null;
  /** Parent of the control group, if the limits need one; null: found automatically. */
  cgroup: string | null;
}

/** Throws SpawnFailure or a HoltError; otherwise ends the process as the command ended. */
export async function runInForeground(request: RunRequest): Promise<never> {
  raiseOpenFiles();
  const ignored = inheritIgnoredSignals();
  const inherited = inheritedDescriptors();
  const interactive = isTerminal(0) && isTerminal(1);
  const layout = layoutAt(stateRoot());
  prepareLayout(layout);
  const log = openLog(layout.logFile, request.log);
  const dir = claimSession(layout, request.sessionId);
  const env = rawEnvironment("HOLT_SESSION_ID", dir.id);
  const userTty = interactive ? new UserTty("lines") : null;
  // Read once: a terminal that closes meanwhile has no size, and its end arrives as a signal.
  const size = userTty?.size ?? null;
  const resolution = resolveSpec(request.command, {
    env,
    inherited,
    limits: commandLimits(request.limits),
    ignored,
  });
  const requested: RequestedMeta = {
    name: request.name,
    argv: request.command,
    cwd: workingDirectory(),
    env_keys: environmentKeys(env),
    transport_mode: interactive ? "posix-pty" : "pipe",
    tty_attached: interactive,
    size,
    project_id: request.projectId,
    shared: request.shared,
    retention_seconds: request.retentionSeconds,
    max_output_bytes: request.maxOutputBytes,
    previous_session_id: null,
    restart: null,
    limits: request.limits,
    linger: true,
    timeout_ms: request.timeoutMs,
    idle_timeout_ms: request.idleTimeoutMs,
    client_rules: null,
    started_by: null,
    channels: [],
  };
  const place = openSession(dir);
  const record = new SessionRecord(place, metaFor(requested, { layout, id: dir.id, log }), log);
  const session = new HeldSession({
    layout,
    record,
    log,
    reserved: {
      input: interactive ? (request.shared ? null : OWN_TERMINAL) : OWN_STDIN,
      size: interactive ? OWN_SIZE : NO_TERMINAL,
    },
    sharing: DEFAULT_ATTACH_RULES,
    background: null,
  });
  if (resolution instanceof SpawnFailure) return failSession(session, resolution, log);
  const group = needsGroup(request.limits) ? await createGroup(session, request, layout) : null;
  if (group instanceof SpawnFailure) return failSession(session, group, log);
  const spec = { ...resolution, group: group?.procs ?? null };

  const outputs = new UserOutputs(interactive ? TERMINAL_CHANNELS : PIPE_CHANNELS, {
    paused: (paused) => session.transport.pause(paused),
    closed: (channel) => session.transport.closeChannel(channel),
  });
  const returns = new CarriageReturnFilter((bytes) => outputs.write("pty", bytes));
  const flushed = (): Promise<void> => {
    returns.flush();
    return outputs.flushed();
  };
  let cutShort: CommandEnd | null = null;
  const job = forwardSignals(session, userTty, {
    flushed,
    cutShort(signal) {
      cutShort = { kind: "signaled", signal };
      outputs.close();
    },
  });
  process.on("exit", () => {
    userTty?.release();
    log[Symbol.dispose]();
  });
  userTty?.take();

  try {
    await session.start(
      (events) =>
        userTty === null || size === null
          ? startPipes(spec, events, { stdin: "inherited" })
          : startPty(
              {
                spec,
                size,
                termios: userTty.termios,
                typedAhead: userTty.typedAhead,
                stderr: isTerminal(2) ? "terminal" : "channel",
                isForeground: !isBackgroundJob(),
              },
              events,
            ),
      {
        beforeSpawn: () => job.beforeSpawn(),
        spawned: (pid) => job.spawned(pid),
        running() {},
        output(channel, bytes) {
          if (channel === "pty") returns.write(bytes, userTty?.isRaw === true ? "kept" : "removed");
          else outputs.write(channel, bytes);
        },
        stopped: (signal) => void job.suspend(signal),
        inputDrained: () => userTty?.listen(true),
      },
      request,
    );
    group?.entered();
  } catch (error) {
    userTty?.release();
    group?.entered();
    group?.leave();
    return failSession(session, spawnFailure(error, request.command[0] ?? ""), log);
  }
  job.started();
  userTty?.begin({
    typed(bytes) {
      const signals = session.transport.keySignals(bytes);
      session.input(bytes);
      job.passOn(signals);
      if (session.transport.pendingInput > MAX_TYPED_AHEAD) userTty.listen(false);
    },
    resized: (next) => session.resize(next),
    foregroundChanged: () => session.transport.moveTo(isBackgroundJob() ? "background" : "foreground"),
    hungUp: () => job.hangUp(),
  });
  const sweep = new DelayedSweep(layout, SWEEP_EVERY_MS.foreground, (pid) => session.termination.disown(pid));

  const { ending, usage } = await session.ended(() => sweep.soon());
  userTty?.listen(false); // keys from now on belong to the next program
  const unread = session.takeUnread();
  const complete = await session.drain(DRAIN_MS);
  await flushed();
  // After the last byte: restoring the terminal's modes earlier would convert the rest of the
  // output twice.
  if (userTty?.pushBack(unread) === false) session.record.event({ type: "typed_ahead_lost", bytes: unread.length });
  userTty?.release();
  if (outputs.refusal !== null) session.record.event({ type: "output_refused", ...outputs.refusal });
  group?.ended(ending);
  await session.finish(ending, usage, complete);
  sweep.now();
  log[Symbol.dispose](); // a death by signal runs no exit handlers
  if (outputs.refusal !== null) failForOutput(outputs.refusal, ending);
  return endAs(cutShort ?? ending);
}

/**
 * Without holt the command would have seen the write error. Behind holt it saw at most SIGPIPE, so
 * a command that seems to have succeeded is reported as failed.
 */
function failForOutput({ channel, errno }: { channel: Channel; errno: string }, ending: CommandEnd): void {
  const name = channel === "stderr" ? "stderr" : "stdout";
  writeSync(2, `holt: cannot write to ${name}: ${errno}\n`);
  const looksFine = ending.kind === "exited" ? ending.code === 0 : ending.signal === SIGPIPE;
  if (looksFine) process.exit(1);
}

function endAs(ending: CommandEnd): never {
  if (ending.kind === "signaled") dieBy(ending.signal);
  process.exit(ending.code);
}

async function failSession(session: HeldSession, failure: SpawnFailure, log: Disposable): Promise<never> {
  await session.fail(failure);
  log[Symbol.dispose]();
  throw failure;
}

async function createGroup(
  session: HeldSession,
  { limits, cgroup: parent }: RunRequest,
  layout: Layout,
): Promise<SessionGroup | SpawnFailure> {
  const { SessionGroup: Group } = await import("./session-group.ts");
  try {
    return new Group(session, { layout, limits: { ...NO_LIMITS, ...limits }, parent });
  } catch (error) {
    if (error instanceof SpawnFailure) return error;
    throw error;
  }
}

function resolveSpec(command: readonly string[], given: Omit<SpawnSpec, "path" | "argv">): SpawnSpec | SpawnFailure {
  const argv = rawArguments(command);
  try {
    return { path: resolveCommand(argv[0] ?? new Uint8Array(0), inheritedVariable("PATH")), argv, ...given };
  } catch (error) {
    if (error instanceof SpawnFailure) return error;
    throw error;
  }
}

/** A removed directory is still a working directory. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}
