/**
 * The person's terminal, while a command has it: raw, read byte by byte, and always given back as it was.
 *
 * Whether we may touch it changes during a run: as a background job (`&`, Ctrl-Z and `bg`) neither its settings nor its input are ours,
 * and the kernel would stop us for trying. No signal tells a running job that `fg` brought it to the front, so while
 * in the background we look, a few times a second.
 */
import { deferTypedKeys } from "./typeahead.ts";
import { lastErrno, libc } from "../native/libc.ts";
import { POLLIN, pollNow, poller, type Watch } from "../native/poller.ts";
import {
  getSize,
  getTermios,
  inForeground,
  lineMode,
  rawTermios,
  setTermios,
  type Termios,
} from "./terminal-device.ts";
import { pushBackInput } from "./terminal-handover.ts";
import { joined } from "../../protocol/types/bytes.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";

const STDIN = 0;
const LOOK_MS = 100;
/** Reads. What is more is read once the command runs. */
const MAX_AHEAD = 64;
const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

export interface UserTtyEvents {
  typed(bytes: Uint8Array): void;
  resized(size: TerminalSize): void;
  /** We may be in front now, or in the background. */
  foregroundChanged(): void;
  /** The terminal is gone. */
  hungUp(): void;
}

/** What was typed before: `lines` for a new terminal that gathers them as this one did, `keys` for one that somebody types at already. */
export type TypeaheadMode = "lines" | "keys";

export class UserTty {
  readonly #before: TypeaheadMode;
  /**
   * As the terminal was when the command got it, and as it is left. Null for a job started in the background: what is set
   * then is for the shell's line editor.
   */
  #termios: Termios | null;
  #watch: Watch;
  readonly #buffer = new Uint8Array(4096);
  /** Null until the command runs. */
  #events: UserTtyEvents | null = null;
  #size: TerminalSize;
  #raw = false;
  #listening = true;
  readonly #ahead: Uint8Array[] = [];
  /** What was typed when the terminal was ours and there was no command yet, from the first key on that is a signal to it. */
  #forCommand: Uint8Array | null = null;
  /** What waits in the terminal from before, for whoever is typed to. */
  #takeKeys: (() => Uint8Array) | null = null;
  #looking: ReturnType<typeof setInterval> | null = null;

  constructor(before: TypeaheadMode) {
    this.#before = before;
    this.#termios = inForeground(STDIN) ? getTermios(STDIN) : null;
    this.#size = getSize(STDIN);
    this.#watch = poller().watch(STDIN, 0, () => this.#read());
  }

  /** Raw: what is written passes unchanged. */
  get isRaw(): boolean {
    return this.#raw;
  }

  get termios(): Termios | null {
    return this.#termios;
  }

  /** What was typed before the terminal was ours. It has been shown already, if it was to be. */
  get typedAhead(): Uint8Array {
    return joined(this.#ahead);
  }

  /** The last there was: of a terminal that is gone its input will tell. */
  get size(): TerminalSize {
    try {
      this.#size = getSize(STDIN);
    } catch {
      // closed in the middle of a start, perhaps
    }
    return this.#size;
  }

  begin(events: UserTtyEvents): void {
    this.#events = events;
    const keys = inForeground(STDIN) ? (this.#takeKeys?.() ?? NOTHING) : NOTHING;
    if (keys.length > 0) events.typed(keys);
    this.#takeKeys = null;
    if (this.#forCommand !== null) events.typed(this.#forCommand);
    this.#forCommand = null;
    this.#listenNow();
    // Changes during the command's start were not passed on.
    this.resized();
    events.foregroundChanged();
  }

  /** SIGWINCH. */
  resized(): void {
    this.#events?.resized(this.size);
  }

  /** Takes the terminal, now or as soon as we are in the foreground. */
  take(): void {
    if (this.#raw) return;
    if (!inForeground(STDIN)) {
      if (this.#looking !== null) return;
      this.#looking = setInterval(() => this.take(), LOOK_MS);
      this.#events?.foregroundChanged();
      return;
    }
    this.#stopLooking();
    this.#termios ??= getTermios(STDIN);
    if (!this.#makeRaw(this.#termios)) return;
    this.#raw = true;
    this.#listenNow();
    this.#events?.foregroundChanged();
  }

  /** Keys that the command never read are for whoever comes next, as they would be without us. False when they are lost. */
  pushBack(unread: Uint8Array): boolean {
    if (unread.length === 0) return true;
    return this.#raw && this.#termios !== null && pushBackInput(STDIN, unread, this.#termios);
  }

  /** Gives it back. Safe at any time, as often as wanted. */
  release(): void {
    this.#stopLooking();
    if (!this.#raw) return;
    this.#raw = false;
    this.#watch.want(0);
    if (this.#termios !== null) this.#set(this.#termios);
  }

  /** After a stop: the shell has set the terminal as it likes, and we may be in front or not. */
  retake(): void {
    this.#raw = false;
    this.take();
    this.resized();
  }

  /** While not listening, what is typed waits in the terminal. */
  listen(listening: boolean): void {
    this.#listening = listening;
    this.#listenNow();
  }

  #listenNow(): void {
    this.#watch.want(this.#raw && this.#listening && this.#events !== null ? POLLIN : 0);
  }

  /** Until there is somebody to type to, with what was typed before. */
  #makeRaw(termios: Termios): boolean {
    const makeRaw = (): boolean => this.#set(rawTermios(termios));
    if (this.#events !== null) return makeRaw();
    if (this.#before === "keys") {
      if (this.#takeKeys !== null) return makeRaw(); // after a stop: those from before it wait where they are
      this.#takeKeys = deferTypedKeys(STDIN, termios, makeRaw);
      return this.#takeKeys !== null;
    }
    this.#readAhead(termios, "lines");
    const isRaw = makeRaw();
    if (isRaw) this.#readAhead(termios, "rest");
    return isRaw;
  }

  /** Line by line while the terminal still has lines: in raw mode an end of file could not be told from a NUL. */
  #readAhead(termios: Termios, what: "lines" | "rest"): void {
    const { isCanonical, endOfFile, signalKeys } = lineMode(termios);
    if (what === "lines" && !isCanonical) return;
    while ((pollNow(STDIN, POLLIN) & POLLIN) !== 0 && this.#ahead.length < MAX_AHEAD) {
      const length = Number(libc().read(STDIN, this.#buffer, BigInt(this.#buffer.length)));
      if (length < 0 || (length === 0 && what === "rest")) return;
      const key = what === "rest" ? this.#buffer.findIndex((byte, at) => at < length && signalKeys.includes(byte)) : -1;
      if (key >= 0) this.#forCommand = this.#buffer.slice(key, length);
      this.#ahead.push(this.#buffer.slice(0, key >= 0 ? key : length));
      if (key >= 0) return;
      if (what === "lines" && this.#buffer[length - 1] !== NEWLINE) this.#ahead.push(Uint8Array.of(endOfFile));
    }
  }

  #read(): void {
    if (!inForeground(STDIN)) {
      this.#raw = false;
      this.#watch.want(0);
      this.take();
      return;
    }
    // What was there to be read when we were stopped the shell has read since: we would wait for the next key, and show nothing meanwhile.
    if (pollNow(STDIN, POLLIN) === 0) return;
    const length = Number(libc().read(STDIN, this.#buffer, BigInt(this.#buffer.length)));
    if (length > 0) {
      this.#events?.typed(this.#buffer.subarray(0, length));
      return;
    }
    const errno = length === 0 ? "EOF" : lastErrno();
    if (errno === "EAGAIN" || errno === "EINTR") return;
    this.#watch.want(0);
    this.#events?.hungUp();
  }

  /** False when the terminal is gone: its end is told by its input. */
  #set(termios: Termios): boolean {
    try {
      setTermios(STDIN, termios, "drain");
      return true;
    } catch {
      return false;
    }
  }

  #stopLooking(): void {
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#looking = null;
  }
}
