/**
 * Detects that the command waits for the user's input. No event reports that a process begins to
 * wait, so callers check repeatedly. One check is not enough: a program that queries the terminal,
 * or draws a spinner between polls of the keyboard, sleeps in the same calls. The command counts as
 * waiting when the same reader was found for a while without output and with hardly any processor
 * time.
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
  inputEnd: InputEnd;
  /** Input bytes that the terminal has not accepted yet. */
  pendingInput: number;
  /** Bytes printed so far (the cursor). */
  produced: number;
  members: readonly number[];
}

/**
 * The same reader must be found for this long, without output. A program that queries the terminal
 * usually has its answer by then.
 */
const SETTLE_MS = 30;
/**
 * A reader whose wait has a short timeout, as in a spinner, must be found for two timeouts, so that
 * it has woken and drawn if it ever does; at most for this long.
 */
const TIMEOUT_SETTLE_MS = 1000;
/** A longer timeout is no spinner, but something like a clock that is redrawn now and then. */
const LONG_TIMEOUT_MS = 2000;
/** A reader that used more of the time between two checks as processor time is at work. */
const BUSY_SHARE = 0.1;
const NS_PER_MS = 1e6;
/** Allowed besides: between two checks in quick succession, one short wake-up exceeds the share. */
const WAKE_UP_NS = NS_PER_MS;
const NOT_WAITING: InputState = { waiting: null, settles_in_ms: null, pid: null, evidence: null };

interface ReaderSighting extends InputReader {
  produced: number;
  /** Times of the first and the last observation. */
  since: number;
  at: number;
}

export class InputWatch {
  #last: ReaderSighting | null = null;

  check({ inputEnd, pendingInput, produced, members }: InputSnapshot): InputState {
    const reader = pendingInput > 0 || hasUnread(inputEnd) ? null : candidateReader(inputEnd, members);
    if (reader === null) {
      this.#last = null;
      return NOT_WAITING;
    }
    const at = performance.now();
    const since = this.#isSame(reader, produced, at) ? (this.#last?.since ?? at) : at;
    this.#last = { ...reader, produced, since, at };
    const left = settleMs(reader) - (at - since);
    const { pid, evidence } = reader;
    if (left > 0) return { waiting: null, settles_in_ms: Math.ceil(left), pid, evidence };
    return {
      waiting: inputEnd.kind === "terminal" && readsLineWithoutEcho(inputEnd.slave) ? "echo_off" : "reading",
      settles_in_ms: null,
      pid,
      evidence,
    };
  }

  #isSame(reader: InputReader, produced: number, at: number): boolean {
    const last = this.#last;
    if (last === null || last.produced !== produced || last.pid !== reader.pid || last.tid !== reader.tid) return false;
    return reader.cpuNs - last.cpuNs <= (at - last.at) * NS_PER_MS * BUSY_SHARE + WAKE_UP_NS;
  }
}

function settleMs({ timeoutMs }: InputReader): number {
  if (timeoutMs === null || timeoutMs >= LONG_TIMEOUT_MS) return SETTLE_MS;
  return Math.max(SETTLE_MS, Math.min(2 * timeoutMs, TIMEOUT_SETTLE_MS));
}

function candidateReader(inputEnd: InputEnd, members: readonly number[]): InputReader | null {
  const link = descriptorLink("self", inputEnd.kind === "terminal" ? inputEnd.slave : inputEnd.fd);
  if (link === null) return null;
  const readers = inputEnd.kind === "terminal" ? inForeground(inputEnd.master, members) : members;
  const reader = findReader(readers, link);
  if (reader === null) return null;
  // Another user's process (sudo) shows only that it sleeps, not in which call. That is enough only
  // while the terminal reads a line without echo: at a password prompt.
  if (reader.evidence === "state" && !(inputEnd.kind === "terminal" && readsLineWithoutEcho(inputEnd.slave)))
    return null;
  if (reader.isForInputAlone) return reader;
  // Another event could end the wait: the work of other processes of the session.
  const others = readers.filter((pid) => pid !== reader.pid).map(activityOf);
  if (others.some(({ isBusy }) => isBusy)) return null;
  return { ...reader, cpuNs: others.reduce((sum, { cpuNs }) => sum + cpuNs, reader.cpuNs) };
}

function inForeground(master: number, members: readonly number[]): number[] {
  const group = foregroundGroup(master);
  return members.filter((pid) => processStatus(pid)?.group === group);
}

/**
 * A reader with unread input is about to wake, so it does not count as waiting. The kernel moves
 * input into a terminal's read buffer some time after the write: poll(2) waits for that, FIONREAD
 * would miss the input. poll(2) does not report an unfinished line: its reader still waits.
 */
function hasUnread(inputEnd: InputEnd): boolean {
  if (inputEnd.kind === "terminal") return (pollNow(inputEnd.slave, POLLIN) & POLLIN) !== 0;
  const FIONREAD = process.platform === "darwin" ? 0x4004667fn : 0x541bn;
  const count = new Int32Array(1);
  return libc().ioctl(inputEnd.fd, FIONREAD, count) === 0 && count[0] !== 0;
}
