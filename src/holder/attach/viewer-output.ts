/** What an attached client sees: a replay of the screen, and output from its cursor on, without what is not for viewers. */
import { ATTACH_FRAME, type AttachRequest, encodeOutput, type Replay } from "../../protocol/wire/attach.ts";
import { encodeFrame, encodeJsonFrame, MAX_DATA_BYTES } from "../../protocol/wire/frames.ts";
import { safeStart } from "../../terminal/parser/safe-start.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import type { LiveSource } from "../socket/live-source.ts";
import type { SendBuffer } from "../socket/send-buffer.ts";
import type { ReplayedTerminal, SessionTerminal } from "../session/session-terminal.ts";

/** Of reading for one client at a time. */
const SLICE_MS = 8;

export class ViewerOutput {
  readonly #source: LiveSource;
  readonly #sendBuffer: SendBuffer;
  readonly #request: AttachRequest;
  #filter: ViewerFilter;
  /** Null until the first replay was sent. */
  #cursor: number | null = null;
  /** A replay was sent that was for a terminal of its size. */
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

  /** Nothing is rebuilt: what was printed comes again as it came, at the pace at which it is taken. */
  #beginning(): number {
    const { produced } = this.#source;
    const { replay, cursor, raw_bytes } = this.#request;
    const from = Math.max(0, produced - raw_bytes);
    const usual = replay === "raw" ? safeStart(this.#source.pieces(from), from) : produced;
    return Math.min(Number(cursor ?? usual), produced); // a cursor past what was printed is answered with the real one
  }

  /** A terminal of another size is painted, and has no use for what has left the screen: it comes with the first that fits, which mostly is the second, when the session has its size. */
  #fits({ cols, rows }: { cols: number; rows: number }): boolean {
    const { size } = this.#request;
    return size === null || (size.cols === cols && size.rows === rows);
  }

  /** Sends the replay. Output goes on at its cursor. */
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

  /** As much as is taken, and one turn allows: what is left out for a viewer fills no outbox, and the command must not wait for it. */
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
      // What is held back comes again for a client that goes on from there.
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
