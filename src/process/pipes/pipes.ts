/**
 * A command on pipes: real ones, so that `/dev/stderr` can be opened. In the foreground it keeps our stdin, our process group and our
 * session: what it does not read stays there for the next, and the terminal's keys reach it without us.
 */
import { type SpawnedProcess, spawnTimed } from "../../platform/process/spawn-time.ts";
import { closeQuietly, closerOf, privatePipes, setNonBlocking, wasClosed } from "../../platform/fs/descriptors.ts";
import { send, signalNumber } from "../../platform/process/signals.ts";
import { waitFor } from "../../platform/process/wait.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { PipedInput } from "./piped-input.ts";
import { drainPumps, OutputPump } from "../pty/output-pump.ts";
import { spawnCommand } from "../spawn-command.ts";
import type { SpawnSpec, Transport, TransportEvents } from "../transport.ts";

const SIGCONT = signalNumber("SIGCONT");
const NOTHING = new Uint8Array(0);

const OUTPUTS = [
  { channel: "stdout", fd: 1 },
  { channel: "stderr", fd: 2 },
] as const;

export interface PipesOptions {
  /** "inherited": our own stdin, group and session. "piped": a pipe that `write` fills, in a session of its own. */
  stdin: "inherited" | "piped";
  /** With "piped": all that is to be read there, after which it ends. Null: it stays open. */
  given?: Uint8Array | null;
}

export function startPipes(spec: SpawnSpec, events: TransportEvents, { stdin, given = null }: PipesOptions): Transport {
  const outputs = OUTPUTS.filter(({ fd }) => stdin === "piped" || !wasClosed(fd));
  const pipes = privatePipes(outputs.length + (stdin === "piped" ? 1 : 0));
  const channels = outputs.flatMap((output, i) => (pipes[i] === undefined ? [] : [{ ...output, ...pipes[i] }]));
  const own = pipes[outputs.length] ?? null;
  const closeWriteEnds = (): void => channels.forEach(({ writeEnd }) => closeQuietly(writeEnd));
  const fds = new Map<number, number>(channels.map(({ fd, writeEnd }) => [fd, writeEnd]));
  if (own !== null) fds.set(0, own.readEnd);
  for (const fd of spec.inherited) fds.set(fd, fd);
  for (const [theirs, fd] of spec.extra ?? []) fds.set(theirs, fd);
  let born: SpawnedProcess;
  try {
    born = spawnTimed(() =>
      spawnCommand(spec, {
        fds,
        place: own === null ? "same_group" : "new_session",
        justBefore: () => events.starting(),
      }),
    );
  } catch (error) {
    closeWriteEnds();
    channels.forEach(({ readEnd }) => closeQuietly(readEnd));
    if (own !== null) [own.readEnd, own.writeEnd].forEach(closeQuietly);
    throw error;
  }
  const { pid, startTime } = born;
  events.made(pid);
  closeWriteEnds();
  if (own !== null) {
    closeQuietly(own.readEnd);
    setNonBlocking(own.writeEnd);
  }
  channels.forEach(({ readEnd }) => setNonBlocking(readEnd));
  return pipesTransport({ pid, startTime, stdin: own?.writeEnd ?? null, channels }, events, given);
}

interface Piped {
  pid: number;
  startTime: number | null;
  /** Our ends of its pipes; stdin is null where the command has our own. */
  stdin: number | null;
  channels: readonly { channel: Channel; readEnd: number }[];
}

/** The transport of a running command, over our ends of its pipes, which do not block. */
function pipesTransport(
  { pid, startTime, stdin, channels }: Piped,
  events: TransportEvents,
  given: Uint8Array | null,
): Transport {
  const input = stdin === null ? null : new PipedInput(stdin, () => events.inputDrained());
  if (given !== null) input?.writeAll(given);
  const pumps = new Map<Channel, { pump: OutputPump; close: () => void }>();
  for (const { channel, readEnd } of channels) {
    pumps.set(channel, {
      close: closerOf(readEnd),
      pump: new OutputPump(readEnd, (bytes) => events.output(channel, bytes)),
    });
  }
  const all = [...pumps.values()];
  let over = false;

  const write = (bytes: Uint8Array): void => {
    if (input === null) throw new HoltError("ESESSIONCLOSED", "its command reads the stdin that it was started with");
    input.write(bytes);
  };
  return {
    mode: "pipe",
    pid,
    startTime,
    helpers: [],
    get pendingInput() {
      return input?.pending ?? 0;
    },
    get inputEnd() {
      if (input === null) return { kind: "stdin" as const, fd: 0 };
      return input.isClosed ? null : { kind: "stdin" as const, fd: input.fd };
    },
    write,
    writeKey: write,
    endInput: () => input?.end(),
    resize() {},
    signal: (signal, target) => void send(target === "group" ? -pid : pid, signal),
    resume: () => void send(pid, SIGCONT),
    isInBackground: false,
    moveTo() {},
    pause: (paused) => all.forEach(({ pump }) => pump.pause(paused)),
    closeChannel(channel) {
      const closing = pumps.get(channel);
      if (closing === undefined || closing.pump.ended) return;
      closing.pump.cut();
      closing.close();
    },
    keySignals: () => [],
    takeUnread: () => ({ bytes: NOTHING, count: input?.unread ?? 0 }),
    childChanged() {
      if (over) return;
      const change = waitFor(pid, { block: false, stops: true });
      if (change === null) return;
      const { kind, value } = change.status;
      if (kind === "stopped") events.stopped(value);
      if (kind !== "exited" && kind !== "signaled") return;
      over = true;
      events.ended(kind === "exited" ? { kind, code: value } : { kind, signal: value }, change.usage);
    },
    drain: (deadlineMs) =>
      drainPumps(
        all.map(({ pump }) => pump),
        deadlineMs,
        "end",
      ),
    close() {
      input?.close();
      for (const { pump, close } of all) {
        pump.stop();
        close();
      }
    },
  };
}
