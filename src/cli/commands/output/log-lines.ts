/**
 * `holt logs` with --head, --grep, --cursors, --max-tokens or a text --range: prints lines of text.
 */
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

export interface CursorRange {
  from: number;
  to: number | null;
}

interface LinesRequest {
  sessions: LocalSessions;
  id: string;
  range: CursorRange;
  options: Options;
}

/** Characters buffered before a write: a write per line would be a system call per line. */
const BUFFERED = 64 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

export function printsLines({ head, grep, cursors, "max-tokens": tokens, range, text, raw, json }: Options): boolean {
  const isText = text || (!raw && !json && stdoutStyle().tty);
  return head !== null || grep !== null || cursors || tokens !== null || (range !== null && isText);
}

export function rangeOf({ range, since }: Options): CursorRange {
  if (range === null) return { from: since ?? 0, to: null };
  const [, from = "", to = ""] = /^(\d{0,15})\.\.(\d{0,15})$/.exec(range) ?? [];
  if (from === "" && to === "")
    throw new HoltError("EBADARGS", `invalid --range: "${range}"`, {
      hint: "use two cursors, e.g. 81920..90000, or one, e.g. 81920..",
    });
  const parsed = { from: Number(from), to: to === "" ? null : Number(to) };
  if (since !== null)
    throw new HoltError("EBADARGS", "--range and --since cannot be used together", {
      hint: `\`--range ${since}..\` does the same as --since`,
    });
  if (parsed.to !== null && parsed.to < parsed.from)
    throw new HoltError("EBADARGS", `invalid --range: "${range}"`, { hint: "put the lower cursor first" });
  return parsed;
}

export function checkCombinations(options: Options): void {
  const { head, tail, grep, follow, raw, json, range, before, after, context, "max-tokens": tokens } = options;
  const isText = head !== null || grep !== null || options.cursors || tokens !== null;
  const hasContext = before !== null || after !== null || context !== null;
  const usageError = (message: string, hint = "see `holt help logs`"): HoltError =>
    new HoltError("EBADARGS", message, { hint });
  if (raw && isText)
    throw usageError("--raw cannot be used with --head, --grep, --cursors or --max-tokens, which print text");
  if (follow && (isText || range !== null)) throw usageError("--follow can be used only with --tail and --since");
  if (grep !== null && (head !== null || tail !== null))
    throw usageError("--grep cannot be used with --head or --tail", "use `| head` or `| tail`");
  if (grep === null && (hasContext || options["ignore-case"] || options["fixed-strings"]))
    throw usageError("-A, -B, -C, -i and -F need --grep");
  if (json && tokens !== null) throw usageError("--json and --max-tokens cannot be used together");
  if (tokens !== null && tokens < MIN_TOKENS)
    throw usageError(`invalid --max-tokens: ${tokens}`, `use at least ${MIN_TOKENS}`);
  if (grep !== null) compilePattern(soughtIn(options));
}

export async function printLines(request: LinesRequest): Promise<number> {
  const { sessions, id, range, options } = request;
  if (options["max-tokens"] !== null) return printPage(request, options["max-tokens"]);
  using reader = sessions.reader(id);
  const lines = new SessionLines(reader, { ...range, channel: channelOf(options) });
  using out = new LineWriter(options);
  if (options.grep !== null) {
    for (const line of lines.matching(soughtIn(options), around(options))) out.put(line);
    reportUnjudged(lines.unjudged);
    return out.isEmpty ? EXIT_FAILURE : 0;
  }
  printEnds(lines, options, out);
  return 0;
}

/** Prints --head, --tail or both; with both, no line twice. */
function printEnds(lines: SessionLines, { head, tail }: Options, out: LineWriter): void {
  let printedTo = lines.from;
  if (head !== null || tail === null) {
    for (const line of head === null ? lines.all() : lines.first(head)) {
      out.put(line);
      printedTo = line.end;
    }
  }
  if (tail === null) return;
  const last = lines.last(tail).filter(({ end }) => end > printedTo);
  const [first] = last;
  if (head !== null && first !== undefined && first.start > printedTo)
    out.note(`… ${plural(first.start - printedTo, "byte")}, cursor ${printedTo} …`);
  for (const line of last) out.put(line);
}

async function printPage({ sessions, id, range, options }: LinesRequest, maxTokens: number): Promise<number> {
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
        grep === null ? null : { spec: soughtIn(options), ...around(options), maxMatches: Number.POSITIVE_INFINITY },
    },
  );
  if (found.text !== "") writeOut(`${found.text}\n`);
  reportUnjudged(found.unjudged ?? []);
  return grep !== null && found.matched?.length === 0 ? EXIT_FAILURE : 0;
}

/** Printed even if stderr is not a terminal: lines may be missing on stdout. */
function reportUnjudged(lines: readonly number[]): void {
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

class LineWriter implements Disposable {
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
    // A separator between matches that are not adjacent, like grep.
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
