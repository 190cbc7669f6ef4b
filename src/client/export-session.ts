/** A session in another form, made as it is read: in constant memory, however long the transcript. */
import { HoltError } from "../protocol/errors.ts";
import type { ExportFormat } from "../protocol/export-format.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { asciicast } from "../rendering/asciicast.ts";
import { htmlExport } from "../rendering/html-export.ts";
import { type ExportPart, type Piece, resizesIn, upTo } from "../rendering/pieces.ts";
import { textExport } from "../rendering/text-export.ts";
import type { LocalSessions, TranscriptReader } from "./local-sessions.ts";
import { stored } from "./stored.ts";

export type { ExportPart };

export interface ExportRequest {
  format: ExportFormat;
  /** The first byte. */
  from: number;
  /** The first byte that is left out; null for all there is now. */
  to: number | null;
}

export class SessionExport implements Disposable {
  readonly session: Session;
  readonly from: number;
  readonly to: number;
  /** Bytes that were not captured, of the parts so far. */
  missing = 0;
  readonly #reader: TranscriptReader;
  readonly #sessions: LocalSessions;
  readonly #format: ExportFormat;
  readonly #isWhole: boolean;

  /** Of a session that lives: up to what it has printed now, and not what a busy command adds meanwhile. */
  constructor(sessions: LocalSessions, id: string, { format, from, to }: ExportRequest) {
    this.#sessions = sessions;
    this.#format = format;
    this.#reader = sessions.reader(id);
    try {
      this.session = this.#reader.session();
      const end = isFinal(this.session.state) ? this.session.output_bytes : this.#reader.end();
      requireRange({ from, to, end, id });
      this.from = from;
      this.to = Math.min(to ?? end, end);
      this.#isWhole = this.to === end;
    } catch (error) {
      this.#reader[Symbol.dispose]();
      throw error;
    }
  }

  parts(): Generator<ExportPart, void> {
    const { session, from } = this;
    const pieces = this.#pieces();
    if (this.#format === "text") return textExport(pieces);
    if (this.#format === "html") return htmlExport(pieces, session);
    const resizes = resizesIn(this.#sessions.events(session.session_id)).filter(({ cursor }) => cursor <= this.to);
    const version = this.#format === "asciicast" ? 3 : 2;
    return asciicast(pieces, { version, session, from, isWhole: this.#isWhole, resizes });
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  *#pieces(): Generator<Piece, void> {
    for (const piece of upTo(this.to, stored(this.#reader, this.from, this.to))) {
      if (piece.type === "gap") this.missing += piece.to - piece.from;
      yield piece;
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
