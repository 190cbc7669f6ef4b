/**
 * One who is attached: a replay that rebuilds the screen, and from its cursor on what the command prints, without what is not for viewers.
 * The order is the guarantee: no OUTPUT before the replay it belongs to, and none twice.
 *
 * Whoever does not keep up is not sent what they missed: they get a fresh replay once they take something again. Whoever takes nothing at
 * all is let go.
 */
import { ATTACH_FRAME, type AttachRequest, type DetachReason, encodeOutput, type Replay } from "../protocol/attach.ts";
import { encodeFrame, encodeJsonFrame, FRAME, MAX_DATA_BYTES } from "../protocol/frames.ts";
import { ViewerFilter } from "../terminal/viewer-filter.ts";
import type { LiveSource } from "./live-source.ts";
import type { Outbox } from "./outbox.ts";
import { rawStart } from "./raw-start.ts";
import type { ReplayedTerminal, SessionTerminal } from "./session-terminal.ts";

/** Further behind than this, a screen is shorter than what led to it. */
const RESYNC_BYTES = 1024 * 1024;
/** Of reading for one client at a time. */
const SLICE_MS = 8;

export interface AttachedClientOptions {
  id: string;
  request: AttachRequest;
  outbox: Outbox;
  source: LiveSource;
  terminal: SessionTerminal;
  /** A replay was sent, or there is more to send than one turn takes: what was printed since may follow. */
  replayed: (isFirst: boolean) => void;
}

export class AttachedClient {
  readonly id: string;
  readonly request: AttachRequest;
  readonly attachedAt = new Date().toISOString();
  readonly #outbox: Outbox;
  readonly #source: LiveSource;
  readonly #terminal: SessionTerminal;
  readonly #wasReplayed: (isFirst: boolean) => void;
  #filter: ViewerFilter;
  /** Null until the first replay was sent. */
  #cursor: number | null = null;
  #isReplaying = false;
  /** Asked for while another was on its way, or while the client took nothing. */
  #again = false;
  /** The latest of each kind that it has not been told, because it takes nothing. */
  readonly #untold = new Map<number, unknown>();
  #hasLagged = false;
  #willGoOn = false;
  #isFirst = true;
  /** One was sent that was for a terminal of its size. */
  #hasFitted = false;
  #over = false;

  constructor({ id, request, outbox, source, terminal, replayed }: AttachedClientOptions) {
    this.id = id;
    this.request = request;
    this.#filter = this.#freshFilter();
    this.#outbox = outbox;
    this.#source = source;
    this.#terminal = terminal;
    this.#wasReplayed = replayed;
  }

  /** Everything was sent, the end included. */
  get done(): boolean {
    return this.#over && this.#outbox.isEmpty;
  }

  get lagBytes(): number {
    return this.#source.produced - (this.#cursor ?? this.#source.produced);
  }

  /** For how long it has taken nothing of what there is for it. */
  get stalledMs(): number {
    return performance.now() - this.#outbox.progressAt;
  }

  /** From scratch: at the start, when the size changed, and after a lag, where it is of use only if it is newer than what was sent. */
  async replay(why: "asked" | "lag" = "asked"): Promise<void> {
    if (this.#isReplaying || this.#outbox.lags) {
      this.#again = true;
      return;
    }
    this.#isReplaying = true;
    const isFirst = this.#isFirst;
    try {
      do {
        this.#again = false;
        const replay = await this.#replayed();
        if (this.#over) return;
        if (why === "asked" || this.#again || replay.cursor > (this.#cursor ?? 0)) this.#send(replay);
      } while (this.#again && !this.#outbox.lags);
    } catch {
      this.leave("unreadable"); // the disk does not let us read
      return;
    }
    this.#isReplaying = false;
    this.#hasLagged = false;
    this.#wasReplayed(isFirst);
  }

  /** What was printed since, and END once the session is final and all was sent. */
  advance(): void {
    if (this.#cursor === null || this.#isReplaying || this.#over) return;
    this.#catchUp();
    if (this.#mustResync()) {
      void this.replay(this.#again ? "asked" : "lag");
      return;
    }
    try {
      const until = performance.now() + SLICE_MS;
      while (!this.#outbox.lags && this.#cursor < this.#source.produced) {
        this.#sendNext(this.#cursor);
        // What is left out for a viewer fills no outbox, and the command must not wait for it.
        if (performance.now() > until) break;
      }
      if (!this.#outbox.lags && this.#cursor < this.#source.produced) this.#goOn();
    } catch {
      this.leave("unreadable");
      return;
    }
    this.#hasLagged ||= this.#outbox.lags;
    const { final } = this.#source;
    if (final === null || this.#cursor < this.#source.produced || this.request.once) return;
    this.#over = true;
    this.#outbox.send(encodeJsonFrame(FRAME.end, { cursor: String(this.#source.produced), state: final }));
  }

  /** Of what is told again and again, only the latest waits for one who takes nothing. */
  tell(type: number, value: unknown): void {
    if (this.#over) return;
    if (this.#outbox.lags) this.#untold.set(type, value);
    else this.#outbox.send(encodeJsonFrame(type, value));
  }

  leave(reason: DetachReason): void {
    if (!this.#over) this.#outbox.send(encodeJsonFrame(ATTACH_FRAME.detached, { reason }));
    this.#over = true;
    if (reason === "slow") this.#outbox.cut();
    else this.#outbox.end();
  }

  async #replayed(): Promise<ReplayedTerminal> {
    const { modes, title, size } = this.#terminal;
    const { replay, cursor, scrollback, raw_bytes } = this.request;
    if (replay === "screen") {
      const progress = (done: number, total: number): void =>
        this.tell(ATTACH_FRAME.progress, { done: String(done), total: String(total) });
      return this.#terminal.replay(this.#isFirst || (!this.#hasFitted && this.#fits(size)) ? scrollback : 0, progress);
    }
    // Nothing is to be rebuilt: what was printed comes again as it came, at the pace at which it is taken.
    const beginning = replay === "raw" ? rawStart(this.#source, raw_bytes) : this.#source.produced;
    // Past what was printed there is nothing to go on from: whoever thinks so is told where it really is.
    const asked = Math.min(Number(cursor ?? beginning), this.#source.produced);
    const from = this.#cursor ?? asked;
    return { cursor: from, replay: new Uint8Array(0), cols: size.cols, rows: size.rows, modes, title };
  }

  #send({ replay, cursor, ...rest }: ReplayedTerminal): void {
    const head: Replay = { client_id: this.id, cursor: String(cursor), bytes: replay.length, ...rest };
    this.#outbox.send(encodeJsonFrame(ATTACH_FRAME.replay, head));
    for (let at = 0; at < replay.length; at += MAX_DATA_BYTES)
      this.#outbox.send(encodeFrame(ATTACH_FRAME.replayData, replay.subarray(at, at + MAX_DATA_BYTES)));
    if (this.#isFirst || this.request.replay === "screen") {
      this.#cursor = cursor;
      this.#filter = this.#freshFilter();
    }
    this.#isFirst = false;
    this.#hasFitted ||= this.request.repaints !== true || this.#fits(rest);
    if (!this.request.once) return;
    this.#over = true;
    this.#outbox.end();
  }

  /** A terminal of another size is painted, and has no use for what has left the screen: it comes with the first that fits, which mostly is the second, when the session has its size. */
  #fits({ cols, rows }: { cols: number; rows: number }): boolean {
    const { size } = this.request;
    return size === null || (size.cols === cols && size.rows === rows);
  }

  #freshFilter(): ViewerFilter {
    return new ViewerFilter({ clipboard: this.request.clipboard === true });
  }

  #sendNext(cursor: number): void {
    const pieces = this.#source.pieces(cursor);
    const last = pieces.at(-1);
    this.#cursor = last === undefined ? this.#source.produced : last.offset + last.bytes.length;
    for (const { offset, channel, bytes } of pieces) {
      const shown = channel === "pty" ? this.#filter.push(bytes) : bytes;
      // What is held back comes again for whoever goes on from there.
      const next = offset + bytes.length - this.#filter.heldBytes;
      if (shown.length > 0) this.#outbox.send(encodeOutput(next, shown));
    }
  }

  #goOn(): void {
    if (this.#willGoOn) return;
    this.#willGoOn = true;
    setImmediate(() => {
      this.#willGoOn = false;
      if (!this.#over) this.#wasReplayed(false);
    });
  }

  #catchUp(): void {
    if (this.#outbox.lags || this.#untold.size === 0) return;
    const untold = [...this.#untold];
    this.#untold.clear();
    for (const [type, value] of untold) this.tell(type, value);
  }

  /** The emulator may be behind them still: then what they have is newer. */
  #mustResync(): boolean {
    if (this.#outbox.lags) return false;
    return this.#again || (this.#hasLagged && this.request.replay === "screen" && this.lagBytes > RESYNC_BYTES);
  }
}
