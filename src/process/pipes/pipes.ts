/**
 * Starts a command on pipes, not sockets, so that `/dev/stderr` can be opened. In the foreground
 * the command keeps our stdin, process group and terminal session: unread input stays for the next
 * program, and the terminal's keys reach the command directly.
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

const OUTPUT_CHANNELS = [
  { channel: "stdout", fd: 1 },
  { channel: "stderr", fd: 2 },
] as const;

export interface PipesOptions {
  /**
   * "inherited": our own stdin, group and session. "piped": a pipe that `write` fills, in a session
   * of its own.
   */
  stdin: "inherited" | "piped";
  /** With "piped": the whole input, after which stdin is closed. Null: stdin stays open. */
  fixedInput?: Uint8Array | null;
}

export function startPipes(
  spec: SpawnSpec,
  events: TransportEvents,
  { stdin, fixedInput = null }: PipesOptions,
): Transport {
  const outputs = OUTPUT_CHANNELS.filter(({ fd }) => stdin === "piped" || !wasClosed(fd));
  const pipes = privatePipes(outputs.length + (stdin === "piped" ? 1 : 0));
  const channels = outputs.flatMap((output, i) => (pipes[i] === undefined ? [] : [{ ...output, ...pipes[i] }]));
  const stdinPipe = pipes[outputs.length] ?? null;
  const closeWriteEnds = (): void => channels.forEach(({ writeEnd }) => closeQuietly(writeEnd));
  const fds = new Map<number, number>(channels.map(({ fd, writeEnd }) => [fd, writeEnd]));
  if (stdinPipe !== null) fds.set(0, stdinPipe.readEnd);
  for (const fd of spec.inherited) fds.set(fd, fd);
  for (const [child, fd] of spec.extra ?? []) fds.set(child, fd);
  let born: SpawnedProcess;
  try {
    born = spawnTimed(() =>
      spawnCommand(spec, {
        fds,
        place: stdinPipe === null ? "same_group" : "new_session",
        justBefore: () => events.starting(),
      }),
    );
  } catch (error) {
    closeWriteEnds();
    channels.forEach(({ readEnd }) => closeQuietly(readEnd));
    if (stdinPipe !== null) [stdinPipe.readEnd, stdinPipe.writeEnd].forEach(closeQuietly);
    throw error;
  }
  const { pid, startTime } = born;
  events.made(pid);
  closeWriteEnds();
  if (stdinPipe !== null) {
    closeQuietly(stdinPipe.readEnd);
    setNonBlocking(stdinPipe.writeEnd);
  }
  channels.forEach(({ readEnd }) => setNonBlocking(readEnd));
  return pipesTransport({ pid, startTime, stdin: stdinPipe?.writeEnd ?? null, channels }, events, fixedInput);
}

interface Piped {
  pid: number;
  startTime: number | null;
  /** Our ends of the command's pipes; stdin is null where the command shares ours. */
  stdin: number | null;
  channels: readonly { channel: Channel; readEnd: number }[];
}

/** The transport over our ends of the pipes, which are non-blocking. */
function pipesTransport(
  { pid, startTime, stdin, channels }: Piped,
  events: TransportEvents,
  fixedInput: Uint8Array | null,
): Transport {
  const input = stdin === null ? null : new PipedInput(stdin, () => events.inputDrained());
  if (fixedInput !== null) input?.writeAndEnd(fixedInput);
  const pumps = new Map<Channel, { pump: OutputPump; close: () => void }>();
  for (const { channel, readEnd } of channels) {
    pumps.set(channel, {
      close: closerOf(readEnd),
      pump: new OutputPump(readEnd, (bytes) => events.output(channel, bytes)),
    });
  }
  const outputPumps = [...pumps.values()];
  let hasEnded = false;

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
    pause: (paused) => outputPumps.forEach(({ pump }) => pump.pause(paused)),
    closeChannel(channel) {
      const closing = pumps.get(channel);
      if (closing === undefined || closing.pump.ended) return;
      closing.pump.cut();
      closing.close();
    },
    keySignals: () => [],
    takeUnread: () => ({ bytes: NOTHING, count: input?.unread ?? 0 }),
    childChanged() {
      if (hasEnded) return;
      const change = waitFor(pid, { block: false, stops: true });
      if (change === null) return;
      const { kind, value } = change.status;
      if (kind === "stopped") events.stopped(value);
      if (kind !== "exited" && kind !== "signaled") return;
      hasEnded = true;
      events.ended(kind === "exited" ? { kind, code: value } : { kind, signal: value }, change.usage);
    },
    drain: (deadlineMs) =>
      drainPumps(
        outputPumps.map(({ pump }) => pump),
        deadlineMs,
        "end",
      ),
    close() {
      input?.close();
      for (const { pump, close } of outputPumps) {
        pump.stop();
        close();
      }
    },
  };
}
