/** Pieces of a transcript for exports: output, gaps and resizes in order. */
import type { Channel } from "../protocol/types/session.ts";
import type { SessionEvent } from "../transcript/write/events.ts";
import { clockShift } from "./steady-clock.ts";

export interface OutputPiece {
  type: "data";
  cursor: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  channel: Channel;
  bytes: Uint8Array;
}

export interface GapPiece {
  type: "gap";
  from: number;
  to: number;
}

export interface ResizePiece {
  type: "resize";
  cursor: number;
  timestamp: number;
  cols: number;
  rows: number;
}

export type Piece = OutputPiece | GapPiece;
export type TimedPiece = Piece | ResizePiece;

/** A part of an export, and the cursor that it reaches. */
export interface ExportPart {
  text: string;
  cursor: number;
}

/** Cuts the pieces at `end`. */
export function* upTo(end: number, pieces: Iterable<Piece>): Generator<Piece, void> {
  for (const piece of pieces) {
    const from = piece.type === "gap" ? piece.from : piece.cursor;
    if (from >= end) return;
    if (piece.type === "gap") yield { ...piece, to: Math.min(piece.to, end) };
    else yield { ...piece, bytes: piece.bytes.subarray(0, end - from) };
  }
}

export function cursorAfter(piece: TimedPiece): number {
  if (piece.type === "gap") return piece.to;
  return piece.type === "data" ? piece.cursor + piece.bytes.length : piece.cursor;
}

/** Resizes in cursor order. Incomplete events are skipped: events.jsonl may be damaged. */
export function resizesIn(events: readonly SessionEvent[]): ResizePiece[] {
  let shift = 0;
  const resizes = events.flatMap((event): ResizePiece[] => {
    const { type, at, cursor, cols, rows } = event;
    shift = clockShift(event) ?? shift;
    if (type !== "resize" || !isCount(cursor) || !isCount(cols) || !isCount(rows)) return [];
    return [{ type, cursor, timestamp: Date.parse(at) - shift, cols, rows }];
  });
  return resizes.toSorted((a, b) => a.cursor - b.cursor);
}

/** Inserts each resize at its cursor; a resize inside a piece cuts it in two. */
export function* withResizes(pieces: Iterable<Piece>, resizes: readonly ResizePiece[]): Generator<TimedPiece, void> {
  const waiting = [...resizes];
  for (const piece of pieces) {
    let rest = piece;
    while (waiting[0] !== undefined && waiting[0].cursor < cursorAfter(piece)) {
      const resize = waiting.shift() as ResizePiece;
      if (rest.type === "data" && resize.cursor > rest.cursor) {
        const cut = resize.cursor - rest.cursor;
        yield { ...rest, bytes: rest.bytes.subarray(0, cut) };
        rest = { ...rest, cursor: resize.cursor, bytes: rest.bytes.subarray(cut) };
      }
      yield resize;
    }
    yield rest;
  }
  yield* waiting;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
