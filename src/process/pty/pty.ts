/** Runs a command on a pseudo-terminal, under a leader process (leader/leader.ts). */
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

/**
 * Resolves when the leader has reported that the command runs; rejects when it could not be
 * executed.
 */
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
        // A short command may end before its start time could be read from /proc.
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
      // The leader was killed, and its report is lost. Its death hung up the terminal: report
      // SIGHUP.
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
  const terminalPump = new OutputPump(leader.master, (bytes) => events.output("pty", bytes));
  const pumps = [terminalPump];
  if (leader.errors !== null) pumps.push(new OutputPump(leader.errors, (bytes) => events.output("stderr", bytes)));
  const input = new InputQueue(leader.master, () => events.inputDrained());
  input.write(leader.unsent);
  let isForeground = startsInForeground;
  const sendOrder = (byte: number): void => void libc().write(leader.orders, Uint8Array.of(byte), 1n);
  let isStopped = false;
  let isHungUp = false;
  /** After this the leader's pid may be reused. */
  let isLeaderReaped = false;
  /** Hangs up as when a terminal window is closed: the command's reads end and its writes fail. */
  const hangUp = (): void => {
    isHungUp = true;
    terminalPump.cut();
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
      if (input.pending === 0) terminalPump.awaitEcho();
    },
    endInput() {
      // When the end-of-file key is disabled, send Ctrl-D: programs that read keys expect it.
      if (!isHungUp) input.write(Uint8Array.of(lineMode(getTermios(leader.slave)).endOfFile || CTRL_D));
    },
    resize: (size) => void (isHungUp || setSize(leader.master, size)),
    signal: (signal, target) => void send(target === "group" ? -pid : pid, signal),
    stopped(signal) {
      isStopped = true;
      // Deliver the output printed before the stop first.
      for (const pump of pumps) pump.catchUp();
      events.stopped(signal);
    },
    resume() {
      // Only when stopped: the order would otherwise undo the next stop.
      if (isStopped) sendOrder(CONTINUE);
      isStopped = false;
    },
    get isInBackground() {
      return !isForeground;
    },
    moveTo(place) {
      // Only on a change: the command may have given the terminal to a job of its own.
      if (isForeground !== (place === "foreground")) sendOrder(isForeground ? TO_BACK : TO_FRONT);
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
      // A command may stop its parent, the leader, which then could not report the end: continue
      // it.
      const change = isLeaderReaped ? null : waitFor(leader.pid, { block: false, stops: true });
      if (change?.status.kind === "stopped") send(leader.pid, SIGCONT);
      else isLeaderReaped ||= change !== null;
      // If the leader was killed, the command is our own child now (we are its subreaper).
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
      const bytes = isHungUp ? NOTHING : joined([readUnread(leader.slave), queued]);
      return { bytes, count: (isHungUp ? queued.length : bytes.length) + input.lost };
    },
    drain(deadlineMs) {
      // Keep the slave open until the output is read: some kernels lose the last bytes at the
      // hang-up.
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

function readUnread(slave: number): Uint8Array {
  try {
    return takeUnread(slave);
  } catch {
    return NOTHING; // hung up by another process
  }
}

/**
 * Ends and reaps the leader, which has reported the end. No later process would reap it. After the
 * deadline, as when a debugger holds it, it is left to the system.
 */
function endLeader(pid: number): void {
  if (waitFor(pid, { block: false, stops: false }) !== null || !isChild(pid)) return;
  send(pid, SIGKILL);
  const until = performance.now() + LEADER_ENDS_MS;
  while (waitFor(pid, { block: false, stops: false }) === null && performance.now() < until)
    pollBriefly(NO_FD, 0, LEADER_LOOK_MICROSECONDS);
}

/** Makes poll(2) wait without a descriptor. */
const NO_FD = -1;
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

/** Reports the end only once: both the leader and the kernel may report it. */
function once(events: TransportEvents): TransportEvents["ended"] {
  let isReported = false;
  return (ending, usage) => {
    if (isReported) return;
    isReported = true;
    events.ended(ending, usage);
  };
}

/** Reads the leader's reports until it closes the pipe. */
function onReports(fd: number, handle: { report(report: LeaderReport): void; end(): void }): { stop(): void } {
  // A report is one write shorter than PIPE_BUF, so it is never read in parts.
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
