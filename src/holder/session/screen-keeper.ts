/**
 * The emulator of a session, in its holder. Loaded when a screen is first needed; from then on it
 * reads the transcript in slices that are short enough not to delay capture. A request names a
 * cursor: the emulator stops there while the request reads the screen.
 */
import { type Modes, sharedModes } from "../../protocol/types/modes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { SESSION_ENDED } from "../../protocol/wire/holder-methods.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import { KeyframeKeeper } from "../../rendering/keyframe-keeper.ts";
import { LONG_BYTES, Renderer } from "../../rendering/renderer.ts";
import { resizesIn } from "../../rendering/export-pieces.ts";
import { Emulator } from "../../terminal/emulator/emulator.ts";
import { readEvents } from "../../transcript/read/read-events.ts";
import { TranscriptReader } from "../../transcript/read/reader.ts";
import { SessionDir } from "../../transcript/session-dir.ts";
import { terminalSource } from "../../rendering/transcript-source.ts";
import { LiveSource } from "../socket/live-source.ts";
import type { SessionTerminalOptions } from "./session-terminal.ts";

interface ScreenRequest {
  cursor: number;
  read: (renderer: Renderer) => void;
  fail: (error: unknown) => void;
  progress: ((done: number, total: number) => void) | null;
}

/** Length of a slice: while a request waits, and otherwise. */
const BUSY_MS = 4;
const IDLE_MS = 1;
/**
 * Pause between slices while no request waits; after a long slice, a multiple of its length, so
 * that capture keeps its share.
 */
const PAUSE_MS = 10;
const PAUSE_FACTOR = 10;
/**
 * So little output is rendered quickly when a request comes; rendered at once, it would delay the
 * next key.
 */
const FEW_BYTES = 16 * 1024;
const LONG_PAUSE_MS = 250;
const PROGRESS_MS = 100;
/** With more output than this, the JIT pays off. */
const MUCH_BYTES = 64 * 1024;

export class ScreenKeeper {
  readonly #source: LiveSource;
  readonly #renderer: Renderer;
  readonly #keyframes: KeyframeKeeper;
  readonly #reader: TranscriptReader;
  readonly #dir: SessionDir;
  readonly #requests: ScreenRequest[] = [];
  #wake: () => void = () => {};
  #isRunning = false;
  #isClosed = false;
  #spentMs = 0;
  #progressAt = performance.now();

  constructor({ layout, id, writer, size }: SessionTerminalOptions) {
    this.#reader = TranscriptReader.open(layout, id);
    this.#dir = SessionDir.open(layout, id);
    const source = new LiveSource(writer, this.#reader);
    this.#source = source;
    this.#renderer = new Renderer({
      source: terminalSource((cursor, maxBytes) => source.pieces(cursor, maxBytes)),
      emulator: new Emulator({ cols: size.cols, rows: size.rows }),
      resizes: resizesIn(readEvents(this.#dir)),
      keyframe: null,
    });
    this.#keyframes = new KeyframeKeeper(this.#dir, this.#renderer);
    if (source.produced > MUCH_BYTES) Bun.unsafe.setJITPolicy(1);
  }

  /**
   * Reads the screen once the emulator is at `cursor`, or now if it is past it. Rejects if the
   * session ends or the transcript becomes unreadable first.
   */
  readAt<T>(cursor: number, read: (renderer: Renderer) => T, progress: ScreenRequest["progress"] = null): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#isClosed) reject(new HoltError("ESESSIONCLOSED", SESSION_ENDED));
    else {
      const at = this.#requests.findIndex((other) => other.cursor > cursor);
      const request = { cursor, read: (renderer: Renderer) => resolve(read(renderer)), fail: reject, progress };
      this.#requests.splice(at < 0 ? this.#requests.length : at, 0, request);
      if (cursor - this.#renderer.cursor > LONG_BYTES) progress?.(this.#renderer.cursor, cursor);
      this.#wake();
      this.advance();
    }
    return promise;
  }

  get modes(): Modes {
    return sharedModes(this.#renderer.emulator.modes);
  }

  get title(): string {
    return this.#renderer.emulator.title;
  }

  resized({ cols, rows }: TerminalSize): void {
    this.#renderer.resized({ cursor: this.#source.produced, cols, rows });
  }

  /** There is more output to render, or a request. */
  advance(): void {
    if (!this.#isRunning && !this.#isClosed) void this.#run();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failAll(new HoltError("ESESSIONCLOSED", SESSION_ENDED));
    if (this.#renderer.cursor >= this.#source.produced) this.#keyframes.atEnd();
    this.#renderer[Symbol.dispose]();
    this.#reader[Symbol.dispose]();
    this.#dir[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      do {
        if (this.#requests.length === 0) await this.#pause();
        else await new Promise<void>((resolve) => setImmediate(resolve));
      } while (!this.#isClosed && this.#slice());
    } catch (error) {
      this.#failAll(error); // the transcript cannot be read
    } finally {
      this.#isRunning = false;
    }
  }

  #failAll(error: unknown): void {
    for (const { fail } of this.#requests.splice(0)) fail(error);
  }

  /** A new request ends the pause. */
  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const pause = this.#source.produced - this.#renderer.cursor < FEW_BYTES ? LONG_PAUSE_MS : PAUSE_MS;
    const timer = setTimeout(resolve, Math.max(pause, this.#spentMs * PAUSE_FACTOR));
    await promise;
    clearTimeout(timer);
  }

  #slice(): boolean {
    const began = performance.now();
    const { produced } = this.#source;
    const next = this.#requests[0];
    this.#renderer.advance(Math.min(next?.cursor ?? produced, produced), next === undefined ? IDLE_MS : BUSY_MS);
    this.#serveRequests();
    this.#keyframes.onProgress();
    this.#reportProgress(produced);
    this.#spentMs = performance.now() - began;
    return this.#requests.length > 0 || this.#renderer.cursor < this.#source.produced;
  }

  #serveRequests(): void {
    const { produced } = this.#source;
    for (let next = this.#requests[0]; next !== undefined; next = this.#requests[0]) {
      if (next.cursor > this.#renderer.cursor && this.#renderer.cursor < produced) return;
      this.#requests.shift();
      next.read(this.#renderer);
    }
  }

  #reportProgress(total: number): void {
    const now = performance.now();
    if (now < this.#progressAt + PROGRESS_MS) return;
    this.#progressAt = now;
    for (const { progress } of this.#requests) progress?.(this.#renderer.cursor, total);
  }
}
