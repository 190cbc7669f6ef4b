/**
 * Whether the command waits for a person. No event tells of a process that begins to wait, so whoever wants to know looks, and one look
 * does not suffice: a program that asks the terminal something, or draws a spinner between looks at the keyboard, sleeps in the same calls.
 * So it counts once the same reader has been found for a while in which it printed nothing and hardly used a processor.
 */
import { descriptorLink } from "../platform/process/awaited-descriptors.ts";
import { libc } from "../platform/native/libc.ts";
import { POLLIN, pollNow } from "../platform/native/poller.ts";
import { processStatus } from "../platform/process/processes.ts";
import { foregroundGroup, readsLineWithoutEcho } from "../platform/tty/terminal-device.ts";
import type { InputState } from "../protocol/wire/holder-methods.ts";
import { findReader, type InputReader, activityOf } from "./input-reader.ts";
import type { InputEnd } from "./transport.ts";

export interface InputSnapshot {
  end: InputEnd;
  /** Bytes for the command that its terminal has not taken yet. */
  pendingInput: number;
  /** What was printed so far: the cursor. */
  produced: number;
  members: readonly number[];
}

const SETTLE_MS = 30;
/** One that soon ends by itself, as between two pictures of a spinner, must outlive two of its turns, or this. */
const TURNS_SETTLE_MS = 1000;
/** From here on it is no turn, but something like a clock that is drawn again now and then. */
const LONG_TURN_MS = 2000;
const BUSY_SHARE = 0.1;
const NS_PER_MS = 1e6;
const NO: InputState = { waiting: null, settles_in_ms: null, pid: null, evidence: null };

interface ReaderSighting extends InputReader {
  produced: number;
  /** When it was first seen, and last. */
  since: number;
  at: number;
}

export class InputWatch {
  #last: ReaderSighting | null = null;

  look({ end, pendingInput, produced, members }: InputSnapshot): InputState {
    const reader = pendingInput > 0 || hasUnread(end) ? null : candidate(end, members);
    if (reader === null) {
      this.#last = null;
      return NO;
    }
    const at = performance.now();
    const since = this.#isSame(reader, produced, at) ? (this.#last?.since ?? at) : at;
    this.#last = { ...reader, produced, since, at };
    const left = settleMs(reader) - (at - since);
    const { pid, evidence } = reader;
    if (left > 0) return { waiting: null, settles_in_ms: Math.ceil(left), pid, evidence };
    return {
      waiting: end.kind === "terminal" && readsLineWithoutEcho(end.slave) ? "echo_off" : "reading",
      settles_in_ms: null,
      pid,
      evidence,
    };
  }

  #isSame(reader: InputReader, produced: number, at: number): boolean {
    const last = this.#last;
    if (last === null || last.produced !== produced || last.pid !== reader.pid || last.tid !== reader.tid) return false;
    return reader.cpuNs - last.cpuNs <= (at - last.at) * NS_PER_MS * BUSY_SHARE + NS_PER_MS;
  }
}

function settleMs({ timeoutMs }: InputReader): number {
  if (timeoutMs === null || timeoutMs >= LONG_TURN_MS) return SETTLE_MS;
  return Math.max(SETTLE_MS, Math.min(2 * timeoutMs, TURNS_SETTLE_MS));
}

function candidate(end: InputEnd, members: readonly number[]): InputReader | null {
  const link = descriptorLink("self", end.kind === "terminal" ? end.slave : end.fd);
  if (link === null) return null;
  const readers = end.kind === "terminal" ? inForeground(end.master, members) : members;
  const reader = findReader(readers, link);
  if (reader === null) return null;
  // Nothing but that it sleeps is known of somebody else's process: then only a password counts.
  if (reader.evidence === "state" && !(end.kind === "terminal" && readsLineWithoutEcho(end.slave))) return null;
  if (reader.isForInputAlone) return reader;
  // What else could end its wait may be the work of others.
  const others = readers.filter((pid) => pid !== reader.pid).map(activityOf);
  if (others.some(({ isBusy }) => isBusy)) return null;
  return { ...reader, cpuNs: others.reduce((sum, { cpuNs }) => sum + cpuNs, reader.cpuNs) };
}

function inForeground(master: number, members: readonly number[]): number[] {
  const group = foregroundGroup(master);
  return members.filter((pid) => processStatus(pid)?.group === group);
}

/** poll(2) makes the terminal take in what is on its way, and counts a line that is not complete as nothing. */
function hasUnread(end: InputEnd): boolean {
  if (end.kind === "terminal") return (pollNow(end.slave, POLLIN) & POLLIN) !== 0;
  const FIONREAD = process.platform === "darwin" ? 0x4004667fn : 0x541bn;
  const count = new Int32Array(1);
  return libc().ioctl(end.fd, FIONREAD, count) === 0 && count[0] !== 0;
}
