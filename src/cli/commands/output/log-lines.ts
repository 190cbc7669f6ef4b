/** `holt logs` of lines: their beginning, their end, those that match, and what fits. */
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { grepPage } from "../../../client/read/text/grep-page.ts";
import { compilePattern } from "../../../client/read/text/grep-request.ts";
import { readText } from "../../../client/read/text/read-text.ts";
import { type GrepLine, SessionLines, type TextLine } from "../../../client/read/text/session-lines.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { MIN_TOKENS } from "../../../protocol/types/read-options.ts";
import type { Channel } from "../../../protocol/types/session.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import type { LOGS } from "../../declarations/output/logs.ts";
import { plural } from "../../output/format.ts";
import { unjudgedText } from "../../../terminal/text/unjudged-text.ts";
import { writeErr, writeOut } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";

type Options = Parsed<typeof LOGS>["options"];

export interface Range {
  from: number;
  to: number | null;
}

interface Request {
  sessions: LocalSessions;
  id: string;
  range: Range;
  options: Options;
}

/** Written at once: a line at a time would be a system call a line. */
const BUFFERED = 64 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

export function isOfLines({ head, grep, cursors, "max-tokens": tokens, range, text, raw, json }: Options): boolean {
  const isText = text || (!raw && !json && stdoutStyle().tty);
  return head !== null || grep !== null || cursors || tokens !== null || (range !== null && isText);
}

export function rangeOf({ range, since }: Options): Range {
  if (range === null) return { from: since ?? 0, to: null };
  const [, from = "", to = ""] = /^(\d{0,15})\.\.(\d{0,15})$/.exec(range) ?? [];
  if (from === "" && to === "")
    throw new HoltError("EBADARGS", `invalid --range "${range}"`, {
      hint: "use two cursors, e.g. 81920..90000, or one: 81920..",
    });
  const parsed = { from: Number(from), to: to === "" ? null : Number(to) };
  if (since !== null)
    throw new HoltError("EBADARGS", "--range and --since exclude each other", {
      hint: `\`--range ${since}..\` is the same`,
    });
  if (parsed.to !== null && parsed.to < parsed.from)
    throw new HoltError("EBADARGS", `invalid --range "${range}"`, { hint: "the lower cursor comes first" });
  return parsed;
}

export function requireSense(options: Options): void {
  const { head, tail, grep, follow, raw, json, range, before, after, context, "max-tokens": tokens } = options;
  const isOfText = head !== null || grep !== null || options.cursors || tokens !== null;
  const isAround = before !== null || after !== null || context !== null;
  const refuse = (what: string, hint = "`holt help logs` explains them"): HoltError =>
    new HoltError("EBADARGS", what, { hint });
  if (raw && isOfText)
    throw refuse("--raw is of bytes, and --head, --grep, --cursors and --max-tokens are of lines of text");
  if (follow && (isOfText || range !== null)) throw refuse("--follow goes with --tail and --since alone");
  if (grep !== null && (head !== null || tail !== null))
    throw refuse("--grep goes with neither --head nor --tail", "`| head` and `| tail` do that");
  if (grep === null && (isAround || options["ignore-case"] || options["fixed-strings"]))
    throw refuse("-A, -B, -C, -i and -F go with --grep");
  if (json && tokens !== null) throw refuse("--json and --max-tokens exclude each other");
  if (tokens !== null && tokens < MIN_TOKENS) throw refuse(`--max-tokens is at least ${MIN_TOKENS}`);
  if (grep !== null) compilePattern(soughtIn(options));
}

export async function printLines(request: Request): Promise<number> {
  const { sessions, id, range, options } = request;
  if (options["max-tokens"] !== null) return printPage(request, options["max-tokens"]);
  using reader = sessions.reader(id);
  const lines = new SessionLines(reader, { ...range, channel: channelOf(options) });
  using out = new Lines(options);
  if (options.grep !== null) {
    for (const line of lines.matching(soughtIn(options), around(options))) out.put(line);
    tellUnjudged(lines.unjudged);
    return out.isEmpty ? EXIT_FAILURE : 0;
  }
  printEnds(lines, options, out);
  return 0;
}

/** With both, none twice. */
function printEnds(lines: SessionLines, { head, tail }: Options, out: Lines): void {
  let told = lines.from;
  if (head !== null || tail === null) {
    for (const line of head === null ? lines.all() : lines.first(head)) {
      out.put(line);
      told = line.end;
    }
  }
  if (tail === null) return;
  const last = lines.last(tail).filter(({ end }) => end > told);
  const [first] = last;
  if (head !== null && first !== undefined && first.start > told)
    out.note(`… ${plural(first.start - told, "byte")}, cursor ${told} …`);
  for (const line of last) out.put(line);
}

async function printPage({ sessions, id, range, options }: Request, maxTokens: number): Promise<number> {
  const { signal } = new AbortController();
  const { head, tail, grep, cursors } = options;
  const found = await readText(
    { sessions, id, signal, grep: grepPage },
    {
      channel: channelOf(options),
      cursor: range.from,
      until: range.to,
      headBytes: null,
      tailBytes: null,
      head,
      tail,
      cut: "middle",
      maxBytes: MAX_BYTES,
      maxTokens,
      style: { collapse: true, cursors },
      finalNewline: false,
      grep:
        grep === null ? null : { sought: soughtIn(options), ...around(options), maxMatches: Number.POSITIVE_INFINITY },
    },
  );
  if (found.text !== "") writeOut(`${found.text}\n`);
  tellUnjudged(found.unjudged ?? []);
  return grep !== null && found.matched?.length === 0 ? EXIT_FAILURE : 0;
}

/** On stderr, also where nobody looks at a terminal: what is on stdout is not all that there may be. */
function tellUnjudged(lines: readonly number[]): void {
  if (lines.length > 0)
    writeErr(
      `holt: ${unjudgedText(lines.length)} (cursor ${lines.slice(0, 3).join(", ")}${lines.length > 3 ? ", …" : ""})\n`,
    );
}

function channelOf({ channel }: Options): Channel | null {
  return channel;
}

function soughtIn({ grep, "fixed-strings": isFixed, "ignore-case": ignoreCase }: Options) {
  return { text: grep ?? "", isRegex: !isFixed, ignoreCase };
}

function around({ before, after, context }: Options): { before: number; after: number } {
  return { before: before ?? context ?? 0, after: after ?? context ?? 0 };
}

class Lines implements Disposable {
  isEmpty = true;
  readonly #options: Options;
  readonly #hasContext: boolean;
  #last: number | null = null;
  #pending = "";

  constructor(options: Options) {
    this.#options = options;
    this.#hasContext = Object.values(around(options)).some((count) => count > 0);
  }

  put(line: TextLine | GrepLine): void {
    // As grep does it, where something lies in between.
    if (this.#hasContext && !this.#options.json && this.#last !== null && line.start > this.#last) this.#write("--");
    this.#write(this.#options.json ? JSON.stringify(objectOf(line)) : this.#shown(line));
    this.#last = line.end;
    this.isEmpty = false;
  }

  note(text: string): void {
    if (!this.#options.json) this.#write(text);
  }

  [Symbol.dispose](): void {
    if (this.#pending !== "") writeOut(this.#pending);
  }

  #shown(line: TextLine | GrepLine): string {
    const sign = "role" in line && line.role !== "match" ? "-" : ":";
    return this.#options.cursors ? `${line.start}${sign} ${line.text}` : line.text;
  }

  #write(line: string): void {
    this.#pending += `${line}\n`;
    if (this.#pending.length < BUFFERED) return;
    const text = this.#pending;
    this.#pending = "";
    writeOut(text);
  }
}

function objectOf(line: TextLine | GrepLine): object {
  const { start, channel, text } = line;
  return { cursor: String(start), channel, line: text, ...("role" in line ? { match: line.role === "match" } : {}) };
}
