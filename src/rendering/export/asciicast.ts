/**
 * Exports a session as an asciicast: a header, then one JSON array per line. Version 3 counts the
 * time of each event from the one before and ends with the exit status; version 2 counts from the
 * start. Text is never cut inside a character; invalid UTF-8 becomes U+FFFD.
 */
import { signalNumber } from "../../platform/process/signals.ts";
import { type Channel, isFinal, type Session } from "../../protocol/types/session.ts";
import { commandLine } from "../../terminal/text/command-line.ts";
import {
  cursorAfter,
  type ExportPart,
  type Piece,
  type ResizePiece,
  type TimedPiece,
  withResizes,
} from "../export-pieces.ts";

export interface CastOptions {
  version: 2 | 3;
  session: Session;
  /** The cursor of the first piece. */
  from: number;
  /** True when the pieces reach the end of the session. */
  isWhole: boolean;
  resizes: readonly ResizePiece[];
  /**
   * Continues a cast that ended at this time, if known: no second header. Null: a cast of its own.
   */
  before: { at: number | null } | null;
}

/** Size for sessions without a terminal. */
const NO_TERMINAL = { cols: 80, rows: 24 };

export function* asciicast(pieces: Iterable<Piece>, options: CastOptions): Generator<ExportPart, void> {
  const { version, session, from, isWhole, resizes, before } = options;
  const earlier = from === 0 ? [] : resizes.filter(({ cursor }) => cursor <= from);
  const size = earlier.at(-1) ?? session.size ?? NO_TERMINAL;
  const start = Date.parse(session.started_at ?? session.created_at);
  if (before === null) yield { text: `${JSON.stringify(header(session, version, size))}\n`, cursor: from };

  const elapsed = new Elapsed(before === null ? (from === 0 ? start : null) : before.at);
  const line = eventLines(version);
  const text = new CastText(session.transport_mode === "pipe");
  let cursor = from;
  for (const piece of withResizes(pieces, resizes.slice(earlier.length))) {
    cursor = cursorAfter(piece);
    const at = piece.type === "gap" ? elapsed.now : elapsed.at(piece.timestamp);
    const lines = [...eventsOf(piece, text)].map(([code, data]) => line(at, code, data));
    yield { text: lines.join(""), cursor };
  }
  const rest = text.end();
  if (rest !== "") yield { text: line(elapsed.now, "o", rest), cursor };
  const status = isWhole && version === 3 ? exitStatus(session) : null;
  if (status !== null) yield { text: line(elapsed.at(endOf(session)), "x", String(status)), cursor };
}

function header(session: Session, version: 2 | 3, { cols, rows }: { cols: number; rows: number }): object {
  const timestamp = Math.floor(Date.parse(session.started_at ?? session.created_at) / 1000);
  const { name, argv } = session;
  const about = {
    timestamp,
    ...(argv.length === 0 ? {} : { command: commandLine(argv) }),
    ...(name === null ? {} : { title: name }),
  };
  return version === 3 ? { version, term: { cols, rows }, ...about } : { version, width: cols, height: rows, ...about };
}

function* eventsOf(piece: TimedPiece, text: CastText): Generator<[code: "o" | "r" | "m", data: string]> {
  if (piece.type === "data") {
    const printed = text.push(piece.channel, piece.bytes);
    if (printed !== "") yield ["o", printed];
  } else if (piece.type === "resize") yield ["r", `${piece.cols}x${piece.rows}`];
  else {
    const broken = text.end();
    if (broken !== "") yield ["o", broken];
    yield ["m", `${piece.to - piece.from} bytes from cursor ${piece.from} on were not kept`];
  }
}

/**
 * Seconds, with three decimals. Differences are taken in whole milliseconds, so that errors do not
 * add up.
 */
function eventLines(version: 2 | 3): (at: number, code: string, data: string) => string {
  let before = 0;
  return (at, code, data) => {
    const seconds = (version === 3 ? at - before : at) / 1000;
    before = at;
    return `[${seconds.toFixed(3)}, "${code}", ${JSON.stringify(data)}]\n`;
  };
}

/** The status as a shell reports it; null when unknown. */
function exitStatus({ state, exit_code, signal }: Session): number | null {
  if (!isFinal(state) || exit_code !== null) return exit_code;
  const number = signal === null ? Number.NaN : signalNumber(signal);
  return Number.isNaN(number) ? null : 128 + number;
}

/** Start plus duration: correct even when the clock was set. */
function endOf({ started_at, duration_ms, ended_at, created_at }: Session): number {
  if (started_at === null || duration_ms === null) return Date.parse(ended_at ?? created_at);
  return Date.parse(started_at) + duration_ms;
}

/**
 * Decodes the bytes of several channels. Pipes have bare newlines; a terminal would have made CR LF
 * of them.
 */
class CastText {
  readonly #decoders = new Map<Channel, TextDecoder>();
  readonly #isPiped: boolean;

  constructor(isPiped: boolean) {
    this.#isPiped = isPiped;
  }

  push(channel: Channel, bytes: Uint8Array): string {
    const decoder = this.#decoders.get(channel) ?? new TextDecoder("utf-8", { ignoreBOM: true });
    this.#decoders.set(channel, decoder);
    const text = decoder.decode(bytes, { stream: true });
    return this.#isPiped ? text.replaceAll("\n", "\r\n") : text;
  }

  /** Unfinished characters, as U+FFFD. */
  end(): string {
    return [...this.#decoders.values()].map((decoder) => decoder.decode()).join("");
  }
}

/**
 * Elapsed milliseconds, never falling, from timestamps of a clock that may have been set. A
 * timestamp a little too early counts as the same moment (a run of output carries the time of its
 * first byte); a much earlier one means that the clock was set back, and time goes on from there.
 */
const SET_BACK_MS = 1000;

class Elapsed {
  #last: number | null;
  #elapsed = 0;

  /** Null: time begins with the first timestamp. */
  constructor(start: number | null) {
    this.#last = start;
  }

  get now(): number {
    return this.#elapsed;
  }

  at(timestamp: number): number {
    const passed = timestamp - (this.#last ?? timestamp);
    if (passed >= 0 || passed < -SET_BACK_MS) this.#last = timestamp;
    this.#elapsed += Math.max(0, passed);
    return this.#elapsed;
  }
}
