/**
 * What a session on pipes has printed, out of the pages of `session.read` (view text), each line with the cursor of its beginning before it. A line that was not
 * finished comes again, with more of it, and takes the place of what was shown.
 *
 * The last line is asked for again from its beginning: of a long one only what follows the cursor would be told, and nothing would say that it goes on.
 */
import type { Result } from "../api/rpc.ts";

type Page = Pick<Result<"session.read">, "text" | "next_cursor" | "omitted">;

interface Line {
  /** Of the part that a page told last. */
  start: number;
  /** What earlier pages told of it. */
  head: string;
  text: string;
}

/** Each channel may have one that is not finished. */
const MOST_OPEN = 8;
/** One that began long before what was printed last is not worth it. */
const ASKED_AGAIN_BYTES = 16 * 1024;
/** At the end of a page that has not all: what it left out. In a line that was cut it stands in that line. */
const NOTE = /(^|[\n ])… [\d,]+ (?:bytes|lines?), cursor \d+ …$/;

export class LogText {
  readonly #most: number;
  #settled = "";
  #open: Line[] = [];
  /** Of lines that begin before it, those that are not open were shown. */
  #seen = 0;
  #next: number;
  #isAtEnd = false;
  /** Whether the last line goes on in the next page. */
  #isCut = false;

  constructor(cursor: number, most: number) {
    this.#next = cursor;
    this.#most = most;
  }

  /** To ask for. */
  get cursor(): string {
    const last = this.#open.at(-1)?.start ?? this.#next;
    return String(this.#isAtEnd && this.#next - last < ASKED_AGAIN_BYTES ? last : this.#next);
  }

  /** Up to which everything was told. */
  get end(): string {
    return String(this.#next);
  }

  /** Whether a page had all that there was. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  get text(): string {
    return this.#settled + this.#open.map(shown).join("");
  }

  take({ text = "", next_cursor, omitted = null }: Page): void {
    const isWhole = omitted === null || omitted.cursor !== next_cursor;
    const note = isWhole ? null : NOTE.exec(text);
    const told = note === null ? text : text.slice(0, note.index);
    const lines = (told === "" ? [] : told.split("\n")).map(lineOf);
    if (this.#isCut) this.#goOn(lines);
    const again = new Set(lines.map(({ start }) => start));
    const known = new Set(this.#open.map(({ start }) => start));
    // Those that are shown already come along, where the last line was asked for again.
    const fresh = lines.filter(({ start }) => start >= this.#seen || known.has(start));
    const kept = fresh.map((line) => ({ ...line, head: line.head || (this.#open.find(({ start }) => start === line.start)?.head ?? "") }));
    const all = [...this.#open.filter(({ start }) => !again.has(start)), ...kept];
    this.#settled = (this.#settled + all.slice(0, -MOST_OPEN).map(shown).join("")).slice(-this.#most);
    this.#open = all.slice(-MOST_OPEN);
    this.#isCut = note?.[1] === " ";
    this.#isAtEnd = isWhole;
    this.#next = Number(next_cursor);
    if (isWhole) this.#seen = this.#next;
  }

  /** The first of these is the rest of a line that the page before had no room for. */
  #goOn(lines: Line[]): void {
    const [first] = lines;
    const last = this.#open.pop();
    if (first === undefined || last === undefined) return;
    if (first.start === this.#next) first.head = last.head + last.text;
    else this.#open.push(last);
  }
}

function lineOf(told: string): Line {
  const [, start = "-1", text = told] = /^(\d+): (.*)$/s.exec(told) ?? [];
  return { start: Number(start), head: "", text };
}

function shown({ head, text }: Line): string {
  return `${head}${text}\n`;
}
