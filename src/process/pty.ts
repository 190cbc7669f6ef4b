/** A command on a pseudo-terminal, under a leader (leader.ts). */
import { closerOf } from "../platform/descriptors.ts";
import { libc, SystemError } from "../platform/libc.ts";
import { POLLIN, poller } from "../platform/poller.ts";
import { send } from "../platform/signals.ts";
import { type ResourceUsage, waitFor } from "../platform/spawn.ts";
import { setSize, setTermios, type Termios } from "../platform/terminal-device.ts";
import type { TerminalSize } from "../protocol/session.ts";
import { InputQueue } from "./input-queue.ts";
import { type LaunchedLeader, takeLeader } from "./leader-launch.ts";
import { encodeStart, RESUME } from "./leader-order.ts";
import { drainPumps, OutputPump } from "./output-pump.ts";
import type { Ending, SpawnSpec, Transport, TransportEvents } from "./transport.ts";

export interface PtyRequest {
  spec: SpawnSpec;
  sessionId: string;
  size: TerminalSize;
  /** The person's own settings, control characters included; null for the kernel's defaults. */
  termios: Termios | null;
  /** Where stderr is redirected, it does not go to the terminal but to a channel of its own. */
  stderr: "terminal" | "channel";
}

/** Answers once the leader says whether the command runs. */
export function startPty(
  { spec, sessionId, size, termios, stderr }: PtyRequest,
  events: TransportEvents,
): Promise<Transport> {
  const leader = takeLeader(stderr);
  if (termios !== null) setTermios(leader.slave, termios, "now");
  setSize(leader.master, size);
  events.starting();
  order(leader, encodeStart({ sessionId, path: spec.path, argv: spec.argv }));

  const { promise, resolve, reject } = Promise.withResolvers<Transport>();
  const close = closersOf(leader);
  const failed = (errno: string): void => {
    close.all();
    reject(new SystemError("execve", errno));
  };
  const ended = once(events);
  const reports = onLines(leader.reports, {
    line(text) {
      const [what = "", ...values] = text.split(" ");
      if (what === "started") resolve(transportOf(leader, Number(values[0]), { events, ended, reports, close }));
      else if (what === "failed") failed(values[0] ?? "EIO");
      else if (what === "stopped") events.stopped(Number(values[0]));
      else if (what === "ended") ended(...parseEnd(values));
    },
    end: () => failed("ECHILD"),
  });
  return promise;
}

interface Wiring {
  events: TransportEvents;
  ended: TransportEvents["ended"];
  reports: { stop(): void };
  close: Closers;
}

function transportOf(leader: LaunchedLeader, pid: number, { events, ended, reports, close }: Wiring): Transport {
  const pumps = [new OutputPump(leader.master, (bytes) => events.output("pty", bytes))];
  if (leader.errors !== null) pumps.push(new OutputPump(leader.errors, (bytes) => events.output("stderr", bytes)));
  const input = new InputQueue(leader.master, () => events.inputDrained());
  return {
    mode: "posix-pty",
    pid,
    helpers: [leader.pid],
    get pendingInput() {
      return input.pending;
    },
    write: (bytes) => input.write(bytes),
    resize: (size) => setSize(leader.master, size),
    signal: (signal, target) => void send(target === "group" ? -pid : pid, signal),
    resume: () => order(leader, Buffer.from(RESUME)),
    pause: (paused) => pumps.forEach((pump) => pump.pause(paused)),
    closeChannel(channel) {
      if (channel !== "stderr" || leader.errors === null) return;
      pumps[1]?.stop();
      close.errors();
    },
    childChanged() {
      waitFor(leader.pid, { block: false, stops: false });
      // Somebody killed the leader: the command is our own child now (we are its subreaper).
      const orphan = waitFor(pid, { block: false, stops: false });
      if (orphan === null) return;
      const { kind, value } = orphan.status;
      ended(kind === "exited" ? { kind, code: value } : { kind: "signaled", signal: value }, orphan.usage);
    },
    async drain(deadlineMs) {
      // While we hold the slave open the end of the terminal cannot overtake its last bytes (some kernels lose them).
      const until = performance.now() + deadlineMs;
      await drainPumps(pumps, deadlineMs, "empty");
      close.slave();
      return drainPumps(pumps, Math.max(0, until - performance.now()), "end");
    },
    close() {
      reports.stop();
      for (const pump of pumps) pump.stop();
      input.stop();
      close.all();
      waitFor(leader.pid, { block: false, stops: false });
    },
  };
}

function order({ orders }: LaunchedLeader, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    const written = Number(libc().write(orders, bytes.subarray(at), BigInt(bytes.length - at)));
    if (written <= 0) return; // the leader is gone: its end is told by its reports
    at += written;
  }
}

interface Closers {
  slave(): void;
  errors(): void;
  all(): void;
}

function closersOf({ master, slave, reports, orders, errors }: LaunchedLeader): Closers {
  const closeSlave = closerOf(slave);
  const closeErrors = errors === null ? () => {} : closerOf(errors);
  const closers = [...[reports, orders, master].map(closerOf), closeSlave, closeErrors];
  return { slave: closeSlave, errors: closeErrors, all: () => closers.forEach((close) => close()) };
}

/** The end is told once, whether by the leader or by the kernel. */
function once(events: TransportEvents): TransportEvents["ended"] {
  let told = false;
  return (ending, usage) => {
    if (told) return;
    told = true;
    events.ended(ending, usage);
  };
}

function parseEnd([kind, ...numbers]: string[]): [Ending, ResourceUsage] {
  const [value = 0, userMs = 0, systemMs = 0, maxRssKb = 0] = numbers.map(Number);
  return [
    kind === "exited" ? { kind, code: value } : { kind: "signaled", signal: value },
    { userMs, systemMs, maxRssKb },
  ];
}

function onLines(fd: number, handle: { line(text: string): void; end(): void }): { stop(): void } {
  const buffer = new Uint8Array(1024);
  let rest = "";
  const watch = poller().watch(fd, POLLIN, () => {
    const length = Number(libc().read(fd, buffer, BigInt(buffer.length)));
    if (length <= 0) {
      if (length === 0) {
        watch.stop();
        handle.end();
      }
      return;
    }
    const parts = (rest + Buffer.from(buffer.subarray(0, length)).toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) handle.line(part);
  });
  return watch;
}
