/** A command on a pseudo-terminal, under a leader (leader.ts). */
import { type SpawnedProcess, ticksSinceBoot } from "../../platform/process/spawn-time.ts";
import { errnoName } from "../../platform/native/constants.ts";
import { closerOf } from "../../platform/fs/descriptors.ts";
import { libc, SystemError } from "../../platform/native/libc.ts";
import { send, signalNumber } from "../../platform/process/signals.ts";
import { pollBriefly, poller, POLLIN } from "../../platform/native/poller.ts";
import { isChild, parseChange, type ResourceUsage, waitFor } from "../../platform/process/wait.ts";
import { foregroundGroup, getTermios, lineMode, setSize } from "../../platform/tty/terminal-device.ts";
import { takeUnread } from "../../platform/tty/terminal-handover.ts";
import { InputQueue } from "./input-queue.ts";
import { type LaunchedLeader, launchLeader, type LaunchRequest } from "../leader/leader-launch.ts";
import { drainPumps, OutputPump } from "./output-pump.ts";
import type { Transport, TransportEvents } from "../transport.ts";
import { joined } from "../../protocol/types/bytes.ts";
import {
  CONTINUE,
  decodeReport,
  type LeaderReport,
  REPORT_BYTES,
  TO_BACK,
  TO_FRONT,
} from "../leader/leader-protocol.ts";

export type PtyRequest = Omit<LaunchRequest, "justBefore">;

/** Answers once the leader says whether the command runs. */
export function startPty(request: PtyRequest, events: TransportEvents): Promise<Transport> {
  const before = ticksSinceBoot();
  const leader = launchLeader({ ...request, justBefore: () => events.starting() });
  const { promise, resolve, reject } = Promise.withResolvers<Transport>();
  const close = closersOf(leader);
  const ended = once(events);
  let transport: PtyTransport | null = null;
  const failed = (errno: string): void => {
    reports.stop();
    close.all();
    reject(new SystemError("execve", errno));
  };
  const reports = onReports(leader.reports, {
    report(report) {
      if (report.kind === "started") {
        // A short command is gone before one could look it up.
        const startTime = before === ticksSinceBoot() ? before : null;
        const { isForeground } = request;
        transport = transportOf(
          leader,
          { pid: report.pid, startTime },
          { events, ended, reports, close, isForeground },
        );
        resolve(transport);
      } else if (report.kind === "failed") failed(errnoName(report.errno));
      else {
        const { status, usage } = parseChange(report);
        if (status.kind === "exited") ended({ kind: "exited", code: status.value }, usage);
        else if (status.kind === "signaled") ended({ kind: "signaled", signal: status.value }, usage);
        else transport?.stopped(status.value);
      }
    },
    end: () => {
      if (transport === null) failed("ECHILD");
      // The leader was killed and took along how the command ended. Its death hung up on the command: so that is what it was.
      else if (!send(transport.pid, 0)) ended({ kind: "signaled", signal: SIGHUP }, NO_USAGE);
    },
  });
  return promise;
}

const SIGHUP = signalNumber("SIGHUP");
const SIGCONT = signalNumber("SIGCONT");
const SIGKILL = signalNumber("SIGKILL");
const SIGINT = signalNumber("SIGINT");
const SIGQUIT = signalNumber("SIGQUIT");
const NO_USAGE: ResourceUsage = { userMs: 0, systemMs: 0, maxRssKb: 0 };
const CTRL_D = 4;
const NOTHING = new Uint8Array(0);

interface Wiring {
  events: TransportEvents;
  ended: TransportEvents["ended"];
  reports: { stop(): void };
  close: Closers;
  isForeground: boolean;
}

interface PtyTransport extends Transport {
  stopped(signal: number): void;
}

function transportOf(
  leader: LaunchedLeader,
  { pid, startTime }: SpawnedProcess,
  { events, ended, reports, close, isForeground: startsInForeground }: Wiring,
): PtyTransport {
  const printed = new OutputPump(leader.master, (bytes) => events.output("pty", bytes));
  const pumps = [printed];
  if (leader.errors !== null) pumps.push(new OutputPump(leader.errors, (bytes) => events.output("stderr", bytes)));
  const input = new InputQueue(leader.master, () => events.inputDrained());
  input.write(leader.unsent);
  let isForeground = startsInForeground;
  const order = (byte: number): void => void libc().write(leader.orders, Uint8Array.of(byte), 1n);
  let isStopped = false;
  let isHungUp = false;
  /** From then on its pid may be somebody else's. */
  let isLeaderReaped = false;
  /** As when a terminal's window is closed: the command's reads end and its writes fail. */
  const hangUp = (): void => {
    isHungUp = true;
    printed.cut();
    input.stop();
    close.slave();
    close.master();
  };
  return {
    mode: "posix-pty",
    pid,
    startTime,
    helpers: [leader.pid],
    get pendingInput() {
      return input.pending;
    },
    get inputEnd() {
      return isHungUp ? null : { kind: "terminal" as const, master: leader.master, slave: leader.slave };
    },
    write: (bytes) => input.write(bytes),
    writeKey(bytes) {
      input.write(bytes);
      if (input.pending === 0) printed.awaitEcho();
    },
    endInput() {
      // Switched off, the key is what it is elsewhere: a program that reads keys means Ctrl-D.
      if (!isHungUp) input.write(Uint8Array.of(lineMode(getTermios(leader.slave)).endOfFile || CTRL_D));
    },
    resize: (size) => void (isHungUp || setSize(leader.master, size)),
    signal: (signal, target) => void send(target === "group" ? -pid : pid, signal),
    stopped(signal) {
      isStopped = true;
      // What it printed before it stopped may still be on its way, and belongs before the news.
      for (const pump of pumps) pump.catchUp();
      events.stopped(signal);
    },
    resume() {
      // An order for a command that runs would undo the next stop.
      if (isStopped) order(CONTINUE);
      isStopped = false;
    },
    get isInBackground() {
      return !isForeground;
    },
    moveTo(place) {
      // Once: the command may have given the terminal to a job of its own.
      if (isForeground !== (place === "foreground")) order(isForeground ? TO_BACK : TO_FRONT);
      isForeground = place === "foreground";
    },
    pause: (paused) => pumps.forEach((pump) => pump.pause(paused)),
    closeChannel(channel) {
      if (channel === "pty") hangUp();
      if (channel !== "stderr" || leader.errors === null) return;
      pumps[1]?.cut();
      close.errors();
    },
    childChanged() {
      // Any command may stop its parent, and then nobody would hear of its own end.
      const change = isLeaderReaped ? null : waitFor(leader.pid, { block: false, stops: true });
      if (change?.status.kind === "stopped") send(leader.pid, SIGCONT);
      else isLeaderReaped ||= change !== null;
      // Somebody killed the leader: the command is our own child now (we are its subreaper).
      const orphan = waitFor(pid, { block: false, stops: false });
      if (orphan === null) return;
      const { kind, value } = orphan.status;
      ended(kind === "exited" ? { kind, code: value } : { kind: "signaled", signal: value }, orphan.usage);
    },
    keySignals(bytes) {
      if (isHungUp || foregroundGroup(leader.master) !== pid) return [];
      const [interrupt, quit] = lineMode(getTermios(leader.slave)).signalKeys;
      const signals = bytes.includes(interrupt) ? [SIGINT] : [];
      if (bytes.includes(quit)) signals.push(SIGQUIT);
      return signals;
    },
    takeUnread() {
      const queued = input.takeBack();
      const bytes = isHungUp ? NOTHING : joined([takenFrom(leader.slave), queued]);
      return { bytes, count: (isHungUp ? queued.length : bytes.length) + input.lost };
    },
    drain(deadlineMs) {
      // While we hold the slave open the end of the terminal cannot overtake its last bytes (some kernels lose them).
      const until = performance.now() + deadlineMs;
      const emptied = drainPumps(pumps, deadlineMs, "empty");
      const toTheEnd = (): Promise<boolean> | boolean => {
        close.slave();
        return drainPumps(pumps, Math.max(0, until - performance.now()), "end");
      };
      return emptied instanceof Promise ? emptied.then(toTheEnd) : toTheEnd();
    },
    close() {
      reports.stop();
      for (const pump of pumps) pump.stop();
      input.stop();
      close.all();
      if (!isLeaderReaped) endLeader(leader.pid);
      isLeaderReaped = true;
    },
  };
}

function takenFrom(slave: number): Uint8Array {
  try {
    return takeUnread(slave);
  } catch {
    return NOTHING; // hung up by another process
  }
}

/** It has told the end, and lets us go first. Nobody who comes after us would reap it; one that a debugger holds is left to the system. */
function endLeader(pid: number): void {
  if (waitFor(pid, { block: false, stops: false }) !== null || !isChild(pid)) return;
  send(pid, SIGKILL);
  const until = performance.now() + LEADER_ENDS_MS;
  while (waitFor(pid, { block: false, stops: false }) === null && performance.now() < until)
    pollBriefly(NOBODY, 0, LEADER_LOOK_MICROSECONDS);
}

/** To poll(2): nothing, for a while. */
const NOBODY = -1;
const LEADER_LOOK_MICROSECONDS = 100;
const LEADER_ENDS_MS = 50;

interface Closers {
  master(): void;
  slave(): void;
  errors(): void;
  all(): void;
}

function closersOf({ master, slave, reports, orders, errors }: LaunchedLeader): Closers {
  const closeMaster = closerOf(master);
  const closeSlave = closerOf(slave);
  const closeErrors = errors === null ? () => {} : closerOf(errors);
  const closers = [...[reports, orders].map(closerOf), closeMaster, closeSlave, closeErrors];
  return {
    master: closeMaster,
    slave: closeSlave,
    errors: closeErrors,
    all: () => closers.forEach((close) => close()),
  };
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

/** What a leader tells, until it is gone, or has become the command. */
function onReports(fd: number, handle: { report(report: LeaderReport): void; end(): void }): { stop(): void } {
  // A record is written at once and is shorter than PIPE_BUF: it is never seen in parts.
  const record = new Uint8Array(REPORT_BYTES);
  const watch = poller().watch(fd, POLLIN, () => {
    const length = Number(libc().read(fd, record, BigInt(REPORT_BYTES)));
    if (length === REPORT_BYTES) handle.report(decodeReport(record));
    else if (length === 0) {
      watch.stop();
      handle.end();
    }
  });
  return watch;
}
