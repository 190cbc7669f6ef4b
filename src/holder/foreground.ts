/**
 * `holt run`: a holder in the foreground. The command gets the person's terminal, or their pipes, as if it had been started without
 * us; on the way every byte goes to the transcript first.
 *
 * The order of the start: claim the id, bring up the leader (it takes the longest, so it comes early and waits), write the record,
 * listen, take the signals, and only then let the command go. The order of the end: the command's last byte to the person, their
 * terminal given back, `final.json`, the followers, and then the same end as the command's.
 */
import type { Log } from "../platform/log.ts";
import { dieBy } from "../platform/signals.ts";
import { isTerminal } from "../platform/terminal-device.ts";
import { errnoOf } from "../protocol/errors.ts";
import type { Channel } from "../protocol/session.ts";
import { startPipes } from "../process/pipes.ts";
import { preparePty } from "../process/pty.ts";
import { environmentKeys, rawArguments, rawEnvironment } from "../process/raw-arguments.ts";
import { NOT_EXECUTABLE, requireDirectory, resolveCommand, SpawnFailure } from "../process/resolve-command.ts";
import type { Ending, SpawnSpec } from "../process/transport.ts";
import type { Layout } from "../transcript/layout.ts";
import { forwardSignals } from "./forward-signals.ts";
import { HeldSession, type Timeouts } from "./held-session.ts";
import { PAUSE_ABOVE, PacedOutput } from "./paced-output.ts";
import { Person } from "./person.ts";
import { claimSession } from "./session-record.ts";

export { SpawnFailure } from "../process/resolve-command.ts";

/** A terminal or pipe that something left behind holds open is not waited for longer than this. */
const DRAIN_MS = 100;
const MAX_TYPED_AHEAD = 64 * 1024;

export interface RunRequest extends Timeouts {
  layout: Layout;
  log: Log;
  /** As the runtime decoded it; the bytes are taken from the process itself. */
  command: string[];
  sessionId: string | null;
  name: string | null;
  projectId: string | null;
  retentionSeconds: number;
  maxOutputBytes: number;
  shared: boolean;
  /** This executable, for the leader. */
  self: readonly string[];
  /** Work that can wait until the command runs. */
  meanwhile: () => void;
}

/** Never comes back but by SpawnFailure or a refusal: it ends as the command ended. */
export async function runInForeground(request: RunRequest): Promise<never> {
  const interactive = isTerminal(0) && isTerminal(1);
  const dir = claimSession(request.layout, request.sessionId);
  const env = rawEnvironment({ HOLT_SESSION_ID: dir.id });
  const person = interactive ? new Person() : null;
  const spec = resolved(request.command, env);
  const pty =
    person === null || spec instanceof SpawnFailure
      ? null
      : preparePty({
          spec,
          self: request.self,
          size: person.size,
          termios: person.termios,
          stderr: isTerminal(2) ? "terminal" : "channel",
        });

  const session = new HeldSession({
    layout: request.layout,
    dir,
    log: request.log,
    request: {
      name: request.name,
      argv: request.command,
      cwd: workingDirectory(),
      env_keys: environmentKeys(env),
      transport_mode: interactive ? "posix-pty" : "pipe",
      tty_attached: interactive,
      size: person?.size ?? null,
      project_id: request.projectId,
      shared: request.shared,
      retention_seconds: request.retentionSeconds,
      max_output_bytes: request.maxOutputBytes,
    },
  });
  if (spec instanceof SpawnFailure) return refuse(session, spec);

  const outputs = new Map<Channel, PacedOutput>();
  const pace = (): void => session.transport.pause([...outputs.values()].some(({ pending }) => pending > PAUSE_ABOVE));
  for (const [channel, fd] of interactive
    ? ([
        ["pty", 1],
        ["stderr", 2],
      ] as const)
    : ([
        ["stdout", 1],
        ["stderr", 2],
      ] as const)) {
    outputs.set(channel, new PacedOutput(fd, { drained: pace, closed: () => session.transport.closeChannel(channel) }));
  }

  const job = forwardSignals(session, person, async () => {
    for (const output of outputs.values()) await output.flushed();
  });
  process.on("exit", () => person?.release());
  person?.take();

  try {
    await session.start(
      (events) => (pty === null ? startPipes(spec, events) : pty.start(events)),
      {
        output(channel, bytes) {
          const output = outputs.get(channel);
          output?.write(bytes);
          if (output !== undefined && output.pending > PAUSE_ABOVE) session.transport.pause(true);
        },
        stopped: () => void job.suspend(),
        inputDrained: () => person?.listen(true),
      },
      request,
    );
  } catch (error) {
    pty?.abandon();
    return refuse(session, spawnFailure(error, request.command));
  }
  job.started();
  person?.begin({
    typed(bytes) {
      session.input(bytes);
      if (session.transport.pendingInput > MAX_TYPED_AHEAD) person.listen(false);
    },
    resized: (size) => session.resize(size),
    hungUp: () => job.hangUp(),
  });
  request.meanwhile();

  const { ending, usage } = await session.ended();
  const complete = await session.drain(DRAIN_MS);
  for (const output of outputs.values()) await output.flushed();
  person?.release();
  await session.finish(ending, usage, complete);
  return endAs(ending);
}

function endAs(ending: Ending): never {
  if (ending.kind === "signaled") dieBy(ending.signal);
  process.exit(ending.code);
}

async function refuse(session: HeldSession, failure: SpawnFailure): Promise<never> {
  await session.fail(failure);
  throw failure;
}

function resolved(command: readonly string[], env: readonly Uint8Array[]): SpawnSpec | SpawnFailure {
  const argv = rawArguments(command);
  try {
    requireDirectory(workingDirectory());
    return { path: resolveCommand(argv[0] ?? new Uint8Array(0), process.env["PATH"]), argv, env };
  } catch (error) {
    if (error instanceof SpawnFailure) return error;
    throw error;
  }
}

/** What execve refused although the file looked right: a missing interpreter, too many arguments, a foreign format. */
function spawnFailure(error: unknown, command: readonly string[]): SpawnFailure {
  const errno = errnoOf(error) ?? String(error);
  const why =
    errno === "ENOENT" ? "its interpreter is missing" : errno === "E2BIG" ? "the arguments are too long" : errno;
  return new SpawnFailure(NOT_EXECUTABLE, `cannot execute ${command[0] ?? ""}: ${why}`);
}

/** A removed directory is still a working directory. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}
