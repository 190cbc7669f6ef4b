/**
 * Signals with their siginfo: who sent it decides whether it must be passed on (a person's Ctrl-C went to the whole
 * group already, a `kill PID` did not), and a handler written in JavaScript is not told.
 *
 * The native handler writes the siginfo to a pipe that the poller watches, so nothing is lost between the
 * installation and the first turn of the loop. Elsewhere Bun's own signal events are used, and the sender is unknown.
 */
import { constants } from "node:os";
import { checked, libc } from "./libc.ts";
import { assemble, machineCode } from "./machine-code.ts";
import { POLLIN, poller, privatePipe, setNonBlocking } from "./poller.ts";

export type SignalName = NodeJS.Signals;

export interface SignalArrival {
  signal: SignalName;
  /** `terminal`: the kernel, for a key or a hang-up; `process`: somebody's kill(2). */
  sender: "terminal" | "process" | "unknown";
  /** For SIGCHLD: the child. */
  pid: number;
}

const SIGINFO_BYTES = 128;
const SIGACTION_BYTES = 152;
const SA_FLAGS_OFFSET = 136;
const SA_SIGINFO_RESTART = 0x4 | 0x10000000;
const SI_KERNEL = 0x80;
const SIG_DFL = 0n;
const SIG_IGN = 1n;

export function signalNumber(name: SignalName): number {
  return constants.signals[name];
}

/** "SIGTERM" for 15; real-time signals are "SIGRTMIN+n". */
export function signalName(number: number): string {
  for (const [name, value] of Object.entries(constants.signals)) if (value === number) return name;
  return number >= 34 ? `SIGRTMIN+${number - 34}` : `SIG${number}`;
}

/** Whether whoever started us had it ignored (nohup): then it stays so for us and for the child. */
export function isIgnored(signal: SignalName): boolean {
  const current = new Uint8Array(SIGACTION_BYTES);
  if (process.platform !== "linux" || libc().sigaction(signalNumber(signal), null, current) !== 0) return false;
  return new DataView(current.buffer).getBigUint64(0, true) === SIG_IGN;
}

export interface SignalSource {
  /** Handles it again after `restoreDefault`. */
  again(signal: SignalName): void;
}

/** Calls `arrived` for each of `signals` from now on, until the process ends. Those ignored at the start are left alone. */
export function onSignals(signals: readonly SignalName[], arrived: (arrival: SignalArrival) => void): SignalSource {
  const install = machineCode() === null ? runtimeHandler(arrived) : nativeHandler(arrived);
  const wanted = signals.filter((signal) => !isIgnored(signal));
  for (const signal of wanted) install(signal);
  return { again: (signal) => void (wanted.includes(signal) && install(signal)) };
}

function runtimeHandler(arrived: (arrival: SignalArrival) => void): (signal: SignalName) => void {
  return (signal) => void process.on(signal, () => arrived({ signal, sender: "unknown", pid: 0 }));
}

function nativeHandler(arrived: (arrival: SignalArrival) => void): (signal: SignalName) => void {
  const { readEnd, writeEnd } = privatePipe();
  setNonBlocking(readEnd);
  setNonBlocking(writeEnd);
  const handler = assemble(machineCode()?.signalHandler(writeEnd) ?? "");
  const buffer = new Uint8Array(SIGINFO_BYTES * 32);
  poller().watch(readEnd, POLLIN, () => {
    const length = Number(libc().read(readEnd, buffer, BigInt(buffer.length)));
    for (let at = 0; at + SIGINFO_BYTES <= length; at += SIGINFO_BYTES) arrived(parse(buffer, at));
  });
  return (signal) => setAction(signalNumber(signal), BigInt(Number(handler)), SA_SIGINFO_RESTART);
}

function parse(buffer: Uint8Array, at: number): SignalArrival {
  const view = new DataView(buffer.buffer, buffer.byteOffset + at);
  const code = view.getInt32(8, true);
  return {
    signal: signalName(view.getInt32(0, true)) as SignalName,
    sender: code === SI_KERNEL ? "terminal" : "process",
    pid: view.getInt32(16, true),
  };
}

/** As if we had never handled it. */
export function restoreDefault(signal: number): void {
  if (process.platform === "linux") setAction(signal, SIG_DFL, 0);
  else process.removeAllListeners(signalName(signal));
}

function setAction(signal: number, handler: bigint, flags: number): void {
  const action = new Uint8Array(SIGACTION_BYTES);
  const view = new DataView(action.buffer);
  view.setBigUint64(0, handler, true);
  view.setInt32(SA_FLAGS_OFFSET, flags, true);
  checked(libc().sigaction(signal, action, null), "sigaction", signalName(signal));
}

/** False when there is no such process (or group, for a negative pid). */
export function send(pid: number, signal: number): boolean {
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
