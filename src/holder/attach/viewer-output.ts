/**
 * The output of an attached client: a replay of the screen, then filtered output from its cursor
 * on.
 */
import { ATTACH_FRAME, type AttachRequest, encodeOutput, type Replay } from "../../protocol/wire/attach.ts";
import { encodeFrame, encodeJsonFrame, MAX_DATA_BYTES } from "../../protocol/wire/frames.ts";
import { safeStart } from "../../terminal/parser/safe-start.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import type { LiveSource } from "../socket/live-source.ts";
import type { SendBuffer } from "../socket/send-buffer.ts";
import type { ReplayedTerminal, SessionTerminal } from "../session/session-terminal.ts";

/** Limit for reading for one client in one turn of the loop. */
const SLICE_MS = 8;

export class ViewerOutput {
  readonly #source: LiveSource;
  readonly #sendBuffer: SendBuffer;
  readonly #request: AttachRequest;
  #filter: ViewerFilter;
  /** Null until the first replay was sent. */
  #cursor: number | null = null;
  /** A replay that fits the client's size was sent. */
  #hasFitted = false;

  constructor(source: LiveSource, sendBuffer: SendBuffer, request: AttachRequest) {
    this.#source = source;
    this.#sendBuffer = sendBuffer;
    this.#request = request;
    this.#filter = this.#freshFilter();
  }

  get cursor(): number | null {
    return this.#cursor;
  }

  get lagBytes(): number {
    return this.#source.produced - (this.#cursor ?? this.#source.produced);
  }

  async replayed(
    terminal: SessionTerminal,
    progress: (done: number, total: number) => void,
  ): Promise<ReplayedTerminal> {
    const { modes, title, size } = terminal;
    const { replay, scrollback } = this.#request;
    if (replay === "screen") {
      const wantsScrollback = this.#cursor === null || (!this.#hasFitted && this.#fits(size));
      return terminal.replay(wantsScrollback ? scrollback : 0, progress);
    }
    const cursor = this.#cursor ?? this.#beginning();
    return { cursor, replay: new Uint8Array(0), cols: size.cols, rows: size.rows, modes, title };
  }

  /**
   * The first cursor without a replay: earlier output is sent as it was printed, as fast as the
   * client reads.
   */
  #beginning(): number {
    const { produced } = this.#source;
    const { replay, cursor, raw_bytes } = this.#request;
    const from = Math.max(0, produced - raw_bytes);
    const usual = replay === "raw" ? safeStart(this.#source.pieces(from), from) : produced;
    return Math.min(Number(cursor ?? usual), produced); // a cursor past the end means the end
  }

  /**
   * A client of another size repaints the screen and cannot use scrollback. It gets the scrollback
   * with the first replay that fits: usually the second one, after the session took its size.
   */
  #fits({ cols, rows }: { cols: number; rows: number }): boolean {
    const { size } = this.#request;
    return size === null || (size.cols === cols && size.rows === rows);
  }

  /** Sends the replay. Output continues at its cursor. */
  restart(clientId: string, { replay, cursor, ...rest }: ReplayedTerminal): void {
    const head: Replay = { client_id: clientId, cursor: String(cursor), bytes: replay.length, ...rest };
    this.#sendBuffer.send(encodeJsonFrame(ATTACH_FRAME.replay, head));
    for (let at = 0; at < replay.length; at += MAX_DATA_BYTES)
      this.#sendBuffer.send(encodeFrame(ATTACH_FRAME.replayData, replay.subarray(at, at + MAX_DATA_BYTES)));
    if (this.#cursor === null || this.#request.replay === "screen") {
      this.#cursor = cursor;
      this.#filter = this.#freshFilter();
    }
    this.#hasFitted ||= this.#request.repaints !== true || this.#fits(rest);
  }

  /**
   * Sends until the buffer is full or the slice is over: output that the filter removes does not
   * fill the buffer, and the command must not wait.
   */
  send(): void {
    const until = performance.now() + SLICE_MS;
    while (!this.#sendBuffer.isFull && this.#cursor !== null && this.#cursor < this.#source.produced) {
      this.#cursor = this.#sendNext(this.#cursor);
      if (performance.now() > until) return;
    }
  }

  #sendNext(cursor: number): number {
    const pieces = this.#source.pieces(cursor);
    for (const { offset, channel, bytes } of pieces) {
      const shown = channel === "pty" ? this.#filter.push(bytes) : bytes;
      // Bytes that the filter holds back are sent again to a client that continues from `next`.
      const next = offset + bytes.length - this.#filter.heldBytes;
      if (shown.length > 0) this.#sendBuffer.send(encodeOutput(next, shown));
    }
    const last = pieces.at(-1);
    return last === undefined ? this.#source.produced : last.offset + last.bytes.length;
  }

  #freshFilter(): ViewerFilter {
    return new ViewerFilter({ clipboard: this.#request.clipboard === true });
  }
}
