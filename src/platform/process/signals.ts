/**
 * Signals with their siginfo: who sent it decides whether it must be passed on (a person's Ctrl-C went to the whole
 * group already, a `kill PID` did not), and a handler written in JavaScript is not told.
 *
 * The native handler writes the siginfo to a pipe that the poller watches, so nothing is lost between the
 * installation and the first turn of the loop. Elsewhere Bun's own signal events are used, and the sender is unknown.
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
  /** `terminal`: the kernel, for a key or a hang-up; `process`: somebody's kill(2). */
  sender: "terminal" | "process" | "unknown";
  /** For SIGCHLD: the child. */
  pid: number;
  /** For SIGCHLD: whether the child may have stopped, and not ended; it may wherever that is not told. */
  mayBeStop: boolean;
}

const SIGINFO_BYTES = 128;
const SA_SIGINFO_RESTART = 0x4 | 0x10000000;
const SI_KERNEL = 0x80;
/** CLD_EXITED, CLD_KILLED, CLD_DUMPED. Others may stand for a stop that came while they waited to be told. */
const ENDS: readonly number[] = [1, 2, 3];

const SIGRTMIN = 34;
/** What a key or a hang-up makes the kernel send. An expired alarm comes from the kernel too, and is nobody else's. */
const FROM_TERMINAL: readonly SignalName[] = ["SIGINT", "SIGQUIT", "SIGTSTP", "SIGHUP", "SIGWINCH", "SIGCONT"];

export function signalNumber(name: SignalName): number {
  return signalNumberOf(name) ?? SIGRTMIN + Number(name.replace("SIGRTMIN+", ""));
}

/** "SIGTERM" for 15; real-time signals are "SIGRTMIN+n". */
export function signalName(number: number): string {
  return signalNameOf(number) ?? (number >= SIGRTMIN ? `SIGRTMIN+${number - SIGRTMIN}` : `SIG${number}`);
}

/** Whatever would end us and can be caught. What the runtime keeps for its own faults (SEGV, ABRT …) and its collector (PWR) cannot. */
export const ENDING_SIGNALS: readonly SignalName[] = [
  ..."SIGHUP SIGINT SIGQUIT SIGTERM SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGIO SIGSTKFLT".split(" "),
  ...Array.from({ length: 31 }, (_, i) => `SIGRTMIN+${i}`),
];

export interface SignalSource {
  /** Handles it again after `restoreDefault`. */
  again(signal: SignalName): void;
  /** Tells now of those that have come so far. Where the runtime handles them, that has to wait for the loop. */
  collect(): void;
}

/** Calls `arrived` for each of `signals` from now on, until the process ends. */
export function onSignals(signals: readonly SignalName[], arrived: (arrival: SignalArrival) => void): SignalSource {
  const code = machineCode();
  const handler = code === null ? runtimeHandler(arrived) : nativeHandler(code, arrived);
  // What whoever started us had ignored (nohup) stays so, for us and for the command.
  // But for SIGCHLD: ignored, the kernel would not tell how the command ended.
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
      // Parsed first: whoever is told may collect, too.
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
    sender: code === SI_KERNEL && FROM_TERMINAL.includes(signal) ? "terminal" : "process",
    pid: view.getInt32(16, true),
    mayBeStop: !ENDS.includes(code),
  };
}

/** As if we had never handled it. */
export function restoreDefault(signal: number): void {
  if (process.platform === "linux") setDefault(signal);
  else process.removeAllListeners(signalName(signal));
}

/** False when there is no such process (or group, for a negative pid). Never to init or everybody, whatever a file on disk may say. */
export function send(pid: number, signal: number): boolean {
  if (pid === 1 || pid === -1) return false;
  return libc().kill(pid, signal) === 0;
}

/** Ends this process by that very signal, so that whoever waits for us sees what happened to the command. */
export function dieBy(signal: number): never {
  const RLIMIT_CORE = 4;
  // The command has dumped its core if it was to; ours would be a second one of no use.
  libc().setrlimit(RLIMIT_CORE, new BigUint64Array([0n, 0n]));
  try {
    restoreDefault(signal);
  } catch {
    // SIGKILL and SIGSTOP have no handler to take away
  }
  libc().kill(process.pid, signal);
  // A signal blocked or without a deadly default: the shell's convention is the next best.
  process.exit(128 + signal);
}
