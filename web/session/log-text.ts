/**
 * The text of a session on pipes, from pages of `session.read` (view text) whose lines start with
 * their cursor. An unfinished line comes again with more text and replaces the shown one.
 *
 * The last line is always read from its start: past its start, a page would return only the rest,
 * without saying that it continues a line.
 */
import type { Result } from "../api/rpc.ts";

type Page = Pick<Result<"session.read">, "text" | "next_cursor" | "omitted">;

interface Line {
  /** Start of its last received part. */
  start: number;
  /** Text received in earlier pages. */
  head: string;
  text: string;
}

/** Most unfinished lines: each channel may have one. */
const MAX_OPEN_LINES = 8;
/** A longer last line is not read again from its start. */
const MAX_REREAD_BYTES = 16 * 1024;
/** The note on omitted text at the end of a page; within a cut line it follows a space. */
const NOTE = /(^|[\n ])… [\d,]+ (?:bytes|lines?), cursor \d+ …$/;

export class LogText {
  readonly #maxChars: number;
  #settled = "";
  #open: Line[] = [];
  /** Lines before this cursor were shown, except open ones. */
  #seen = 0;
  #next: number;
  #isAtEnd = false;
  /** Whether the last line continues in the next page. */
  #isCut = false;

  constructor(cursor: number, maxChars: number) {
    this.#next = cursor;
    this.#maxChars = maxChars;
  }

  /** The cursor of the next read. */
  get cursor(): string {
    const last = this.#open.at(-1)?.start ?? this.#next;
    return String(this.#isAtEnd && this.#next - last < MAX_REREAD_BYTES ? last : this.#next);
  }

  /** The cursor up to which everything was received. */
  get end(): string {
    return String(this.#next);
  }

  /** Whether the last page was complete. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  get text(): string {
    return this.#settled + this.#open.map(lineText).join("");
  }

  take({ text = "", next_cursor, omitted = null }: Page): void {
    const isWhole = omitted === null || omitted.cursor !== next_cursor;
    const note = isWhole ? null : NOTE.exec(text);
    const received = note === null ? text : text.slice(0, note.index);
    const lines = (received === "" ? [] : received.split("\n")).map(lineOf);
    if (this.#isCut) this.#joinCutLine(lines);
    const again = new Set(lines.map(({ start }) => start));
    const known = new Set(this.#open.map(({ start }) => start));
    // A read from the start of the last line repeats lines shown already.
    const fresh = lines.filter(({ start }) => start >= this.#seen || known.has(start));
    const kept = fresh.map((line) => ({ ...line, head: line.head || (this.#open.find(({ start }) => start === line.start)?.head ?? "") }));
    const all = [...this.#open.filter(({ start }) => !again.has(start)), ...kept];
    this.#settled = (this.#settled + all.slice(0, -MAX_OPEN_LINES).map(lineText).join("")).slice(-this.#maxChars);
    this.#open = all.slice(-MAX_OPEN_LINES);
    this.#isCut = note?.[1] === " ";
    this.#isAtEnd = isWhole;
    this.#next = Number(next_cursor);
    if (isWhole) this.#seen = this.#next;
  }

  /** The first line is the rest of one that did not fit into the last page. */
  #joinCutLine(lines: Line[]): void {
    const [first] = lines;
    const last = this.#open.pop();
    if (first === undefined || last === undefined) return;
    if (first.start === this.#next) first.head = last.head + last.text;
    else this.#open.push(last);
  }
}

function lineOf(received: string): Line {
  const [, start = "-1", text = received] = /^(\d+): (.*)$/s.exec(received) ?? [];
  return { start: Number(start), head: "", text };
}

function lineText({ head, text }: Line): string {
  return `${head}${text}\n`;
}
