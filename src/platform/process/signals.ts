/**
 * Signal handling with siginfo. The sender decides whether a signal must be passed on: Ctrl-C went
 * to the whole foreground group already, `kill PID` did not. A JavaScript handler does not get the
 * sender.
 *
 * The native handler writes the siginfo to a pipe that the poller watches, so no signal is lost
 * between installation and the first turn of the loop. Without it, Bun's signal events are used and
 * the sender is unknown.
 */
import { signalNameOf, signalNumberOf } from "../native/constants.ts";
import { libc } from "../native/libc.ts";
import { type MachineCode, machineCode } from "../native/machine-code.ts";
import { privatePipe, setNonBlocking } from "../fs/descriptors.ts";
import { POLLIN, poller } from "../native/poller.ts";
import { isIgnoredSignal, isReservedSignal, setActions, setDefault } from "./signal-action.ts";

/** "SIGTERM", "SIGRTMIN+2" … */
export type SignalName = string;

export interface SignalArrival {
  signal: SignalName;
  /** `terminal`: the kernel, for a key or a hang-up; `process`: a kill(2). */
  sender: "terminal" | "process" | "unknown";
  /** For SIGCHLD: the child. */
  pid: number;
  /** For SIGCHLD: whether the child may have stopped rather than ended; true where unknown. */
  mayBeStop: boolean;
}

const SIGINFO_BYTES = 128;
const SA_SIGINFO_RESTART = 0x4 | 0x10000000;
const SI_KERNEL = 0x80;
/**
 * CLD_EXITED, CLD_KILLED, CLD_DUMPED. Other codes may hide a stop that merged with a pending
 * SIGCHLD.
 */
const END_CODES: readonly number[] = [1, 2, 3];

const SIGRTMIN = 34;
/**
 * Signals that the kernel sends for a key or a hang-up. It also sends expired alarms, which are not
 * these.
 */
const TERMINAL_SIGNALS: readonly SignalName[] = ["SIGINT", "SIGQUIT", "SIGTSTP", "SIGHUP", "SIGWINCH", "SIGCONT"];

export function signalNumber(name: SignalName): number {
  return signalNumberOf(name) ?? SIGRTMIN + Number(name.replace("SIGRTMIN+", ""));
}

/** "SIGTERM" for 15; real-time signals are "SIGRTMIN+n". */
export function signalName(number: number): string {
  return signalNameOf(number) ?? (number >= SIGRTMIN ? `SIGRTMIN+${number - SIGRTMIN}` : `SIG${number}`);
}

/**
 * Signals that end a process by default and can be caught. Without those that the runtime needs for
 * faults (SEGV, ABRT …) and its collector (PWR).
 */
export const ENDING_SIGNALS: readonly SignalName[] = [
  ..."SIGHUP SIGINT SIGQUIT SIGTERM SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGIO SIGSTKFLT".split(" "),
  ...Array.from({ length: 31 }, (_, i) => `SIGRTMIN+${i}`),
];

export interface SignalSource {
  /** Installs the handler again after `restoreDefault`. */
  again(signal: SignalName): void;
  /** Delivers pending signals now. With the runtime's handler, they wait for the loop. */
  collect(): void;
}

/** Calls `arrived` for each of `signals` from now on, until the process ends. */
export function onSignals(signals: readonly SignalName[], arrived: (arrival: SignalArrival) => void): SignalSource {
  const code = machineCode();
  const handler = code === null ? runtimeHandler(arrived) : nativeHandler(code, arrived);
  // A signal that the caller ignores (nohup) stays ignored, here and in the command. Except
  // SIGCHLD: while it is ignored, the kernel does not report how a child ended.
  const wanted = signals.filter((signal) => {
    const number = signalNumber(signal);
    return !isReservedSignal(number) && (signal === "SIGCHLD" || !isIgnoredSignal(number));
  });
  handler.install(wanted);
  return {
    again: (signal) => void (wanted.includes(signal) && handler.install([signal])),
    collect: () => handler.collect(),
  };
}

interface Handler {
  install(signals: readonly SignalName[]): void;
  collect(): void;
}

function runtimeHandler(arrived: (arrival: SignalArrival) => void): Handler {
  return {
    install(signals) {
      for (const signal of signals)
        process.on(signal, () => arrived({ signal, sender: "unknown", pid: 0, mayBeStop: true }));
    },
    collect() {},
  };
}

function nativeHandler(code: MachineCode, arrived: (arrival: SignalArrival) => void): Handler {
  const { readEnd, writeEnd } = privatePipe();
  setNonBlocking(readEnd);
  setNonBlocking(writeEnd);
  const handler = code.signalHandler(writeEnd);
  const buffer = new Uint8Array(SIGINFO_BYTES * 32);
  const collect = (): void => {
    for (let length = buffer.length; length === buffer.length; ) {
      length = Number(libc().read(readEnd, buffer, BigInt(buffer.length)));
      // Parse all first: a callback may call collect() too, which reuses the buffer.
      const arrivals = Array.from({ length: Math.max(0, length) / SIGINFO_BYTES }, (_, i) =>
        parse(buffer, i * SIGINFO_BYTES),
      );
      arrivals.forEach(arrived);
    }
  };
  poller().watch(readEnd, POLLIN, collect);
  return {
    install: (signals) => setActions(signals.map(signalNumber), handler, SA_SIGINFO_RESTART),
    collect,
  };
}

function parse(buffer: Uint8Array, at: number): SignalArrival {
  const view = new DataView(buffer.buffer, buffer.byteOffset + at);
  const code = view.getInt32(8, true);
  const signal = signalName(view.getInt32(0, true));
  return {
    signal,
    sender: code === SI_KERNEL && TERMINAL_SIGNALS.includes(signal) ? "terminal" : "process",
    pid: view.getInt32(16, true),
    mayBeStop: !END_CODES.includes(code),
  };
}

/** Removes the handler and restores the default disposition. */
export function restoreDefault(signal: number): void {
  if (process.platform === "linux") setDefault(signal);
  else process.removeAllListeners(signalName(signal));
}

/**
 * False when there is no such process (or group, for a negative pid). Refuses init (1) and all
 * processes (-1), since a pid may come from a file on disk.
 */
export function send(pid: number, signal: number): boolean {
  if (pid === 1 || pid === -1) return false;
  return libc().kill(pid, signal) === 0;
}

/**
 * Ends this process by the signal that ended the command, so that the caller sees the same status.
 */
export function dieBy(signal: number): never {
  const RLIMIT_CORE = 4;
  // No core dump of holt: the command has dumped its own.
  libc().setrlimit(RLIMIT_CORE, new BigUint64Array([0n, 0n]));
  try {
    restoreDefault(signal);
  } catch {
    // SIGKILL and SIGSTOP have no handler to remove
  }
  libc().kill(process.pid, signal);
  // The signal is blocked or does not end a process: exit with the shell's convention instead.
  process.exit(128 + signal);
}
