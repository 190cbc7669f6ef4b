/**
 * The user's terminal while a session uses it: raw, read byte by byte, and restored afterwards.
 *
 * As a background job (`&`, Ctrl-Z and `bg`) holt must not use the terminal's settings or input:
 * the kernel would stop it. No signal reports that `fg` moved a running job to the foreground, so
 * that is polled a few times a second.
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
const FOREGROUND_CHECK_MS = 100;
/** Reads of typed-ahead input before the command runs. The rest is read later. */
const MAX_AHEAD_READS = 64;
const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

export interface UserTtyEvents {
  typed(bytes: Uint8Array): void;
  resized(size: TerminalSize): void;
  /** This process may have moved to the foreground or background. */
  foregroundChanged(): void;
  /** The terminal is gone. */
  hungUp(): void;
}

/**
 * How to read input typed ahead: as `lines` for a new terminal, which starts in canonical mode as
 * this one was, or as `keys` for a session that is already running.
 */
export type TypeaheadMode = "lines" | "keys";

export class UserTty {
  readonly #typeaheadMode: TypeaheadMode;
  /**
   * The settings found at the start and restored at the end. Null for a job started in the
   * background, where the settings are those of the shell's line editor.
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
  /** Keys typed in raw mode before the command ran, from the first signal key on. */
  #forCommand: Uint8Array | null = null;
  /** Takes the keys typed ahead, in `keys` mode. */
  #takeTypedKeys: (() => Uint8Array) | null = null;
  #foregroundTimer: ReturnType<typeof setInterval> | null = null;

  constructor(typeaheadMode: TypeaheadMode) {
    this.#typeaheadMode = typeaheadMode;
    this.#termios = inForeground(STDIN) ? getTermios(STDIN) : null;
    this.#size = getSize(STDIN);
    this.#watch = poller().watch(STDIN, 0, () => this.#read());
  }

  /** True when the terminal is raw, so that output passes unchanged. */
  get isRaw(): boolean {
    return this.#raw;
  }

  get termios(): Termios | null {
    return this.#termios;
  }

  /** Input typed before the terminal was raw. The terminal has echoed it already. */
  get typedAhead(): Uint8Array {
    return joined(this.#ahead);
  }

  /** The last known size when the terminal is gone, which its input reports. */
  get size(): TerminalSize {
    try {
      this.#size = getSize(STDIN);
    } catch {
      // the terminal was closed during the start
    }
    return this.#size;
  }

  begin(events: UserTtyEvents): void {
    this.#events = events;
    const keys = inForeground(STDIN) ? (this.#takeTypedKeys?.() ?? NOTHING) : NOTHING;
    if (keys.length > 0) events.typed(keys);
    this.#takeTypedKeys = null;
    if (this.#forCommand !== null) events.typed(this.#forCommand);
    this.#forCommand = null;
    this.#updateWatch();
    // Changes during the command's start were not passed on.
    this.resized();
    events.foregroundChanged();
  }

  /** SIGWINCH. */
  resized(): void {
    this.#events?.resized(this.size);
  }

  /** Makes the terminal raw, now or once this process is in the foreground. */
  take(): void {
    if (this.#raw) return;
    if (!inForeground(STDIN)) {
      if (this.#foregroundTimer !== null) return;
      this.#foregroundTimer = setInterval(() => this.take(), FOREGROUND_CHECK_MS);
      this.#events?.foregroundChanged();
      return;
    }
    this.#stopForegroundTimer();
    this.#termios ??= getTermios(STDIN);
    if (!this.#makeRaw(this.#termios)) return;
    this.#raw = true;
    this.#updateWatch();
    this.#events?.foregroundChanged();
  }

  /**
   * Returns unread keys to the terminal for the next program, as without holt. False when they are
   * lost.
   */
  pushBack(unread: Uint8Array): boolean {
    if (unread.length === 0) return true;
    return this.#raw && this.#termios !== null && pushBackInput(STDIN, unread, this.#termios);
  }

  /** Restores the terminal's settings. May be called at any time, repeatedly. */
  release(): void {
    this.#stopForegroundTimer();
    if (!this.#raw) return;
    this.#raw = false;
    this.#watch.want(0);
    if (this.#termios !== null) this.#set(this.#termios);
  }

  /**
   * After a stop the shell has changed the settings, and this process is in the foreground or not.
   */
  takeAfterStop(): void {
    this.#raw = false;
    this.take();
    this.resized();
  }

  /** While not listening, input waits in the terminal. */
  listen(listening: boolean): void {
    this.#listening = listening;
    this.#updateWatch();
  }

  #updateWatch(): void {
    this.#watch.want(this.#raw && this.#listening && this.#events !== null ? POLLIN : 0);
  }

  /** Before begin(), also saves the input typed ahead. */
  #makeRaw(termios: Termios): boolean {
    const makeRaw = (): boolean => this.#set(rawTermios(termios));
    if (this.#events !== null) return makeRaw();
    if (this.#typeaheadMode === "keys") {
      if (this.#takeTypedKeys !== null) return makeRaw(); // after a stop: earlier keys still wait in the terminal
      this.#takeTypedKeys = deferTypedKeys(STDIN, termios, makeRaw);
      return this.#takeTypedKeys !== null;
    }
    this.#readAhead(termios, "lines");
    const isRaw = makeRaw();
    if (isRaw) this.#readAhead(termios, "rest");
    return isRaw;
  }

  /**
   * Reads line by line while the terminal is canonical: in raw mode an end-of-file mark would look
   * like a NUL.
   */
  #readAhead(termios: Termios, what: "lines" | "rest"): void {
    const { isCanonical, endOfFile, signalKeys } = lineMode(termios);
    if (what === "lines" && !isCanonical) return;
    while ((pollNow(STDIN, POLLIN) & POLLIN) !== 0 && this.#ahead.length < MAX_AHEAD_READS) {
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
    // The shell may have read the input while this process was stopped: read(2) would block here.
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

  /** False when the terminal is gone, which its input reports. */
  #set(termios: Termios): boolean {
    try {
      setTermios(STDIN, termios, "drain");
      return true;
    } catch {
      return false;
    }
  }

  #stopForegroundTimer(): void {
    if (this.#foregroundTimer !== null) clearInterval(this.#foregroundTimer);
    this.#foregroundTimer = null;
  }
}
