/**
 * Finds the regions of a transcript where a pattern may match, without rendering it.
 *
 * Lines whose bytes are their text (ASCII without controls) are matched as bytes, a megabyte at a
 * time. Lines with nothing but colours are matched with the colours removed: "er\x1b[1mror" reads
 * "error". All other lines are candidates. When several channels mix, each line is put together
 * first.
 */
import { textOf } from "../../protocol/types/bytes.ts";
import type { LinePattern } from "../../terminal/text/line-pattern.ts";
import { ByteSearch } from "./byte-search.ts";
import { ScanBuffer, SCAN_BYTES } from "./scan-buffer.ts";
import { lineBytes } from "./raw-line-walk.ts";
import type { RawLine, RawLines } from "./raw-lines.ts";

/** Lines that end in (from, to]. */
export interface Region {
  from: number;
  to: number;
}

export interface ScanRequest {
  pattern: LinePattern;
  from: number;
  to: number;
  lines: RawLines;
  /** Reads raw bytes of the file; returns their number. */
  rawBytes(into: Uint8Array, position: number): number;
  /** Adjacent bytes belong to one channel, which is wanted. */
  hasOneChannel: boolean;
}

const LF = 10;
const PIECE = 64 * 1024;
/** Regions closer together than this are merged. */
const NEAR = 4096;
const COLORS = /\x1b\[[\d;]*m/g;
const ODD = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]|\r(?!\n)/;
/** Longer literals are cut to this: the line is matched in full anyway. */
const MAX_LITERAL = 200;
/** After this many matches that span lines (which are none), the piece becomes a candidate. */
const MAX_FALSE_HITS = 16;

/**
 * Regions in ascending order; one list per part scanned, so that the caller can yield in between.
 */
export function* candidateRegions(request: ScanRequest): Generator<Region[], void> {
  if (request.hasOneChannel) yield* new Scan(request).run();
  else for (const batch of request.lines.between(request.from, request.to)) yield candidatesIn(batch, request.pattern);
}

/** Candidates among assembled lines. */
function candidatesIn(lines: readonly RawLine[], pattern: LinePattern): Region[] {
  const regions: Region[] = [];
  for (const { channel, start, end, pieces } of lines) {
    if (channel === null) continue;
    const text = stripped(textOf(lineBytes(pieces)));
    if (ODD.test(text) || pattern.mayMatchAt(text, 0) >= 0) add(regions, { from: start, to: end });
  }
  return regions;
}

class Scan {
  readonly #request: ScanRequest;
  readonly #scan = sharedBuffer();
  /** A literal that every match contains; null when there is none. */
  readonly #byteSearch: ByteSearch | null;
  /** Cursor of the buffer's first byte, and the number of bytes in it. */
  #base = 0;
  #length = 0;
  #regions: Region[] = [];

  constructor(request: ScanRequest) {
    this.#request = request;
    const { literal, caseless } = request.pattern;
    const text = (literal ?? caseless)?.slice(0, MAX_LITERAL) ?? null;
    this.#byteSearch = text === null ? null : new ByteSearch(text, { ignoreCase: literal === null });
  }

  *run(): Generator<Region[], void> {
    const { from, to } = this.#request;
    // The line at `from` may begin before it.
    let isInLine = from > 0;
    for (let at = from; at < to; at += this.#length) {
      if (!this.#load(at, to)) return;
      this.#regions = [];
      const first = isInLine ? this.#lineEnd(0) : 0;
      if (first > 0) this.#add(0, first);
      isInLine = this.#scan.buffer[this.#length - 1] !== LF;
      if (isInLine && at + this.#length < to) this.#add(first, this.#length);
      else this.#search(first);
      yield this.#regions;
    }
  }

  /** Loads the next part, cut at its last line feed. */
  #load(at: number, to: number): boolean {
    const { buffer } = this.#scan;
    this.#base = at;
    this.#length = this.#request.rawBytes(buffer.subarray(0, Math.min(SCAN_BYTES, to - at)), at);
    if (this.#length === 0) return false;
    const last = at + this.#length < to ? buffer.lastIndexOf(LF, this.#length - 1) : -1;
    if (last >= 0) this.#length = last + 1;
    return true;
  }

  #search(from: number): void {
    let hit = -1;
    for (let at = from, odd = -1; at < this.#length; ) {
      if (odd < at) odd = this.#scan.find(at, this.#length);
      if (this.#byteSearch === null) {
        const end = this.#pieceEnd(at);
        this.#judge(at, end, odd < end);
        at = end;
        continue;
      }
      if (hit < at) hit = this.#byteSearch.find(this.#scan, at, this.#length);
      const near = Math.min(odd, hit);
      if (near >= this.#length) return;
      const start = Math.max(at, this.#scan.buffer.lastIndexOf(LF, near) + 1);
      const end = odd < hit ? this.#pieceEnd(start) : this.#lineEnd(hit);
      if (odd < hit) this.#judge(start, end, true);
      else this.#add(start, end);
      at = end;
    }
  }

  /** Matches whole lines between two indexes. */
  #judge(from: number, to: number, isOdd: boolean): void {
    const { pattern } = this.#request;
    const bytes = this.#scan.buffer.subarray(from, to);
    if (!isOdd) return this.#judgePlain(bytes.toString("latin1"), from);
    const text = stripped(bytes.toString("utf8"));
    if (!ODD.test(text)) {
      if (pattern.mayMatchAt(text, 0) >= 0) this.#add(from, to);
      return;
    }
    for (let at = from; at < to; ) {
      const end = this.#lineEnd(at);
      const line = stripped(this.#scan.buffer.toString("utf8", at, end));
      if (ODD.test(line) || pattern.mayMatchAt(line, 0) >= 0) this.#add(at, end);
      at = end;
    }
  }

  #judgePlain(text: string, from: number): void {
    const { pattern } = this.#request;
    let falseHits = 0;
    for (let at = pattern.mayMatchAt(text, 0); at >= 0 && at < text.length; ) {
      const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1; // an empty line matches at its end
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline + 1;
      if (pattern.matches(text.slice(start, end).replace(/\r?\n$/, "")) === false) falseHits++;
      else this.#add(from + start, from + end);
      if (falseHits > MAX_FALSE_HITS) return this.#add(from + end, from + text.length);
      at = end < text.length ? pattern.mayMatchAt(text, end) : -1;
    }
  }

  #pieceEnd(from: number): number {
    const far = from + PIECE;
    if (far >= this.#length) return this.#length;
    const end = this.#scan.buffer.lastIndexOf(LF, far) + 1;
    return end > from ? end : this.#lineEnd(far);
  }

  /** End of the line at `at`. */
  #lineEnd(at: number): number {
    const end = this.#scan.buffer.indexOf(LF, at);
    return end < 0 || end >= this.#length ? this.#length : end + 1;
  }

  #add(from: number, to: number): void {
    if (to > from) add(this.#regions, { from: this.#base + from, to: this.#base + to });
  }
}

function add(regions: Region[], region: Region): void {
  const last = regions.at(-1);
  if (last !== undefined && region.from - last.to < NEAR) last.to = Math.max(last.to, region.to);
  else regions.push(region);
}

function stripped(text: string): string {
  return text.includes("\x1b") ? text.replaceAll(COLORS, "") : text;
}

let shared: ScanBuffer | null = null;

/** One buffer per process: nothing in it is needed between two parts. */
function sharedBuffer(): ScanBuffer {
  shared ??= new ScanBuffer();
  return shared;
}
