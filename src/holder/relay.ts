/**
 * Keys and their echoes without a turn of the loop, for the one who types: a thread takes each key from their connection to the command and the echo
 * into the transcript and to the terminal that they lent (platform/relay-thread.ts, loan.ts). What it did is accounted for here, a moment later.
 *
 * It begins after a key that went through the loop, and while it lasts nobody else reads that connection, the command's terminal or the end of the
 * transcript, nor writes there. Whoever is about to, or is about to change who may type or what is shown to whom, calls settle() first: what the thread has done
 * is accounted for then, in its order, and it does no more until the next key has gone through the loop. What the thread leaves to us it goes on after.
 */
import { type Relayed, type RelayedKey, RelayThread } from "../platform/relay-thread.ts";
import { ATTACH_FRAME } from "../protocol/attach.ts";
import type { LentTerminal } from "../process/transport.ts";
import { plainEchoRules } from "../terminal/plain-echo.ts";
import type { RelayedSession } from "./control.ts";

/** An echo that waited longer for the loop is no part of the loan any more. */
const LENT_MS = 1;

/** One who types, as a relay needs them. */
export interface RelayLine {
  readonly fd: number;
  /** Nothing of it is read but by the relay. */
  pause(isPaused: boolean): void;
  /** Where their echoes are shown, and what their keys say of what was shown; null where a key needs a look. */
  readonly terms: { terminal: number; shown: number } | null;
  /** What was read of it. */
  receiveRelayed(bytes: Uint8Array): void;
  /** They typed this, and this thread took it to the command. */
  typed(bytes: Uint8Array, thread: number): void;
  /** While `act` tells of an echo: so much of it they have seen; the rest may be shown to them at once, or not. */
  shown(count: number, isLent: boolean, act: () => void): void;
}

/** One for the process, which may hold one session after the other; null where there is none to be had. */
function sharedThread(): RelayThread | null {
  if (thread === undefined) thread = RelayThread.start(ATTACH_FRAME.lentInput, plainEchoRules());
  return thread;
}
let thread: RelayThread | null | undefined;

export class Relay {
  readonly #session: RelayedSession;
  #thread: RelayThread | null = null;
  #line: RelayLine | null = null;
  #lent: LentTerminal | null = null;
  /** Read of a connection that is paused until this is received, in a turn of its own. */
  #unreceived: { line: RelayLine; bytes: Uint8Array } | null = null;
  #isActing = false;

  constructor(session: RelayedSession) {
    this.#session = session;
    session.settle = () => this.settle();
  }

  /** They typed a key, and it has gone its way: the next may go with the thread. */
  offer(line: RelayLine): void {
    if (this.#isActing || this.#line !== null || this.#unreceived !== null || line.terms === null) return;
    this.#thread = sharedThread();
    if (this.#thread === null) return;
    this.#thread.turn = () => this.#turn();
    const lent = this.#session.lend(() => this.settle());
    if (lent === null) return;
    if (!this.#thread.connect(line.fd)) return lent.giveBack();
    line.pause(true);
    this.#line = line;
    this.#lent = lent;
    if (!this.#goOn()) this.#standDown(line);
  }

  /** The thread does no more, and what it did is accounted for. */
  settle(): void {
    const line = this.#line;
    if (this.#isActing || line === null) return;
    const { received } = this.#account(line);
    if (received !== null) this.#unreceived = { line, bytes: received.slice() };
    this.#standDown(line);
  }

  #turn(): void {
    if (this.#unreceived !== null) this.#receiveLate(this.#unreceived);
    const line = this.#line;
    if (line === null) return;
    let goesOn = false;
    try {
      const { why, received } = this.#account(line);
      this.#isActing = true;
      if (received !== null) line.receiveRelayed(received.slice());
      const isFlood = why === "printed" && this.#lent?.read() === true;
      goesOn = !isFlood && received?.length !== 0;
    } finally {
      this.#isActing = false;
      if (!goesOn || !this.#goOn()) this.#standDown(line);
    }
  }

  /** What has been done, in its order. */
  #account(line: RelayLine): Pick<Relayed, "why" | "received"> {
    const relayed = this.#thread?.hold() ?? null;
    if (relayed === null) return { why: "held", received: null };
    this.#isActing = true;
    try {
      for (const key of relayed.keys) this.#accountFor(key, line, relayed);
    } finally {
      this.#isActing = false;
    }
    return relayed;
  }

  #accountFor({ typed, taken, printed, isKept, shown }: RelayedKey, line: RelayLine, { msAgo }: Relayed): void {
    line.typed(typed, this.#thread?.number ?? 0);
    if (taken < typed.length) this.#lent?.type(typed.slice(taken));
    if (printed.length === 0) return;
    const isLent = !isKept && msAgo() < LENT_MS;
    line.shown(shown, isLent, () => this.#session.printed(printed, isKept ? "adopt" : "capture"));
  }

  /** False where the next key needs a look. */
  #goOn(): boolean {
    const { outputEnd } = this.#session;
    const terms = this.#line?.terms ?? null;
    if (terms === null || outputEnd === null || this.#lent?.isFree !== true) return false;
    this.#thread?.grant({
      ...terms,
      command: this.#lent.fd,
      file: outputEnd.fd,
      offset: outputEnd.offset,
      room: outputEnd.room,
    });
    return true;
  }

  #standDown(line: RelayLine): void {
    this.#thread?.connect(null);
    this.#lent?.giveBack();
    this.#lent = null;
    this.#line = null;
    if (this.#unreceived === null) line.pause(false);
  }

  #receiveLate({ line, bytes }: { line: RelayLine; bytes: Uint8Array }): void {
    this.#unreceived = null;
    try {
      if (bytes.length > 0) line.receiveRelayed(bytes);
    } finally {
      if (this.#line !== line) line.pause(false);
    }
  }
}
