/** Exports a session in another format, in constant memory. */
import { HoltError } from "../../protocol/types/errors.ts";
import type { ExportFormat } from "../../protocol/types/export-format.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { asciicast } from "../../rendering/export/asciicast.ts";
import { htmlExport } from "../../rendering/export/html-export.ts";
import {
  cursorAfter,
  type ExportPart,
  type Piece,
  type ResizePiece,
  resizesIn,
  upTo,
} from "../../rendering/export-pieces.ts";
import { SteadyClock } from "../../rendering/steady-clock.ts";
import { findCut } from "./export-cut.ts";
import type { LocalSessions, TranscriptReader } from "../sessions/local-sessions.ts";
import type { YieldToLoop } from "./text/page.ts";
import { readStored } from "./read-stored.ts";
import { ChannelText } from "../../terminal/text/channel-text.ts";

export type { ExportPart };

export interface ExportRequest {
  format: ExportFormat;
  from: number;
  /** The first byte left out; null for all output so far. */
  to: number | null;
}

/** A series of exports: the output that one part may contain. */
export interface PartLimit {
  bytes: number;
  /** Allows a cut within a line that erases text. */
  cutsLines: boolean;
}

export class SessionExport implements Disposable {
  readonly session: Session;
  readonly from: number;
  /** Bytes not captured, in the parts so far. */
  missing = 0;
  readonly #reader: TranscriptReader;
  readonly #sessions: LocalSessions;
  readonly #format: ExportFormat;
  readonly #end: number;
  #to: number;
  #next: number | null = null;
  #isContinued = false;

  /** For a running session the end is fixed here, so that a busy command cannot extend it. */
  constructor(sessions: LocalSessions, id: string, { format, from, to }: ExportRequest) {
    this.#sessions = sessions;
    this.#format = format;
    this.#reader = sessions.reader(id);
    try {
      this.session = this.#reader.session();
      const end = isFinal(this.session.state) ? this.session.output_bytes : this.#reader.end();
      requireRange({ from, to, end, id });
      this.from = from;
      this.#end = end;
      this.#to = Math.min(to ?? end, end);
    } catch (error) {
      this.#reader[Symbol.dispose]();
      throw error;
    }
  }

  get to(): number {
    return this.#to;
  }

  /** The cursor of the next part of a series; null if there is none. */
  get next(): number | null {
    return this.#next;
  }

  /**
   * Limits the export to one part of a series; call it before parts(). A part that does not begin
   * at 0 continues the previous one.
   */
  async cut({ bytes, cutsLines }: PartLimit, yieldToLoop: YieldToLoop): Promise<void> {
    const { from, to: end } = this;
    const needsLines = this.#format === "text" && !cutsLines;
    this.#to = await findCut(this.#reader, { from, end, bytes, needsLines }, yieldToLoop);
    this.#next = this.#to < end ? this.#to : null;
    this.#isContinued = from > 0;
  }

  parts(): Generator<ExportPart, void> {
    const { session, from } = this;
    const events = this.#sessions.events(session.session_id);
    const clock = new SteadyClock(events);
    const pieces = this.#pieces(clock);
    if (this.#format === "text") return textExport(pieces);
    if (this.#format === "html") return htmlExport(pieces, session);
    const resizes = resizesIn(events).filter(({ cursor }) => cursor <= this.to);
    const version = this.#format === "asciicast" ? 3 : 2;
    const before = this.#isContinued ? { at: this.#lastBefore(resizes, clock) } : null;
    return asciicast(pieces, { version, session, from, isWhole: this.to === this.#end, resizes, before });
  }

  /** The time of the last event before `from`, in milliseconds since 1970. */
  #lastBefore(resizes: readonly ResizePiece[], clock: SteadyClock): number | null {
    const [printed] = this.#reader.read({ cursor: this.from - 1, maxBytes: 1 }).chunks;
    const resize = resizes.findLast(({ cursor }) => cursor <= this.from);
    const times = [
      ...(printed === undefined ? [] : [clock.time(Date.parse(printed.timestamp), printed.offset)]),
      ...(resize === undefined ? [] : [resize.timestamp]),
    ];
    return times.length === 0 ? null : Math.max(...times);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  *#pieces(clock: SteadyClock): Generator<Piece, void> {
    for (const piece of upTo(this.to, readStored(this.#reader, this.from, this.to))) {
      if (piece.type === "gap") this.missing += piece.to - piece.from;
      yield piece.type === "gap" ? piece : { ...piece, timestamp: clock.time(piece.timestamp, piece.cursor) };
    }
  }
}

function requireRange({ from, to, end, id }: { from: number; to: number | null; end: number; id: string }): void {
  if (from > end) {
    throw new HoltError("EBADARGS", `session ${id} has no output from cursor ${from} on`, {
      hint: `it goes up to cursor ${end}`,
    });
  }
  if (to !== null && to < from) {
    throw new HoltError("EBADARGS", `cursor ${to} lies before cursor ${from}`, {
      hint: "the export goes from the lower one to the higher one",
    });
  }
}

/** The text of `holt logs --text`. A gap ends the line. */
function* textExport(pieces: Iterable<Piece>): Generator<ExportPart, void> {
  const text = new ChannelText();
  let cursor = 0;
  for (const piece of pieces) {
    cursor = cursorAfter(piece);
    yield { text: piece.type === "data" ? text.push(piece.channel, piece.bytes) : text.cut(), cursor };
  }
  yield { text: text.end(), cursor };
}
