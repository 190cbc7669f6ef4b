/**
 * `holt logs`. Writes block until stdout is read (output.ts), so a transcript of any size takes
 * constant memory. Ctrl-C needs no handler: there is nothing to clean up.
 */
import { follow, type FollowItem } from "../../../client/read/follow.ts";
import { LocalSessions, type TranscriptReader } from "../../../client/sessions/local-sessions.ts";
import { readStored, upTo } from "../../../client/read/read-stored.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import { command } from "../../declarations/command.ts";
import { LOGS } from "../../declarations/output/logs.ts";
import { checkCombinations, printLines, printsLines, rangeOf } from "./log-lines.ts";
import { jsonSink, rawSink, type Sink, textSink } from "./log-sinks.ts";
import { BrokenPipe, isStdoutClosed, writeErr } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";
import { nameOf } from "../../output/describe-session.ts";

type Options = Parsed<typeof LOGS>["options"];

const PAUSE_MS = 100;
const READER_CHECK_MS = 250;

export const main = command(LOGS, async ({ options, positionals: [reference = ""] }) => {
  const sink = chooseSink(options);
  const range = rangeOf(options);
  checkCombinations(options);
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  if (printsLines(options)) return printLines({ sessions, id, range, options });
  using reader = sessions.reader(id);
  const selection = { cursor: startCursor(reader, options, range.from), channel: options.channel };
  const filter = new ChannelFilter(sink, selection.channel);
  const wasAlive = !isFinal(reader.session().state);
  if (options.follow) await followTo(filter, id, selection.cursor);
  // Without --follow, prints only the output that exists now, or a busy command would keep this
  // running.
  else {
    const end = Math.min(range.to ?? Number.POSITIVE_INFINITY, reader.end());
    const items = readStored(reader, selection.cursor, end);
    for (const item of range.to === null ? items : upTo(range.to, items)) filter.pass(item);
  }
  sink.end();
  if (options.follow && wasAlive && sessionOrNull(reader)?.reason === "holder_lost")
    return reportLostHolder(id, options);
  if (filter.isEmpty) explainEmptyOutput(reader, selection, options);
  return 0;
});

/**
 * The command may still run, but its output is no longer recorded. Same exit code as
 * `holt wait --exit-code`.
 */
function reportLostHolder(id: string, { json }: Options): number {
  const text = `the holder of ${id} was lost: further output of its command is not recorded`;
  writeErr(json ? `${JSON.stringify({ note: text })}\n` : `holt: ${text}\n`);
  return EXIT_FAILURE;
}

function explainEmptyOutput(reader: TranscriptReader, selection: Selection, { json }: Options): void {
  const session = sessionOrNull(reader);
  if (session === null) return;
  const text = emptyOutputText(session, isFinal(session.state) ? session.output_bytes : reader.end(), selection);
  if (text !== null) writeErr(json ? `${JSON.stringify({ note: text })}\n` : `holt: ${text}\n`);
}

/** Null if the session was removed in the meantime. */
function sessionOrNull(reader: TranscriptReader): Session | null {
  try {
    return reader.session();
  } catch {
    return null;
  }
}

function chooseSink({ raw, text, json }: Options): Sink {
  if (Number(raw) + Number(text) + Number(json) > 1) {
    throw new HoltError("EBADARGS", "--raw, --text and --json cannot be used together", {
      hint: "see `holt help logs`",
    });
  }
  if (json) return jsonSink();
  const isTty = stdoutStyle().tty;
  return text || (!raw && isTty) ? textSink() : rawSink(isTty);
}

function startCursor(reader: TranscriptReader, { tail }: Options, first: number): number {
  if (tail === null) return first;
  return Math.max(first, tail === 0 ? reader.end() : reader.tailCursor(tail));
}

async function followTo(filter: ChannelFilter, id: string, cursor: number): Promise<void> {
  const abort = new AbortController();
  // While nothing is written, only a check shows that a reader such as `grep -m1 ready` has exited.
  const check = setInterval(() => isStdoutClosed() && abort.abort(), READER_CHECK_MS);
  const pauseOrAbort = (): void => {
    try {
      filter.sink.pause();
    } catch {
      abort.abort();
    }
  };
  let pause: Timer | undefined;
  try {
    for await (const item of follow({ id, cursor, signal: abort.signal })) {
      clearTimeout(pause);
      filter.pass(item);
      pause = setTimeout(pauseOrAbort, PAUSE_MS);
    }
  } finally {
    clearInterval(check);
    clearTimeout(pause);
  }
  if (abort.signal.aborted) throw new BrokenPipe();
}

/** Passes the selected channel to the sink and records whether there was any output. */
class ChannelFilter {
  readonly sink: Sink;
  readonly #channel: string | null;
  isEmpty = true;

  constructor(sink: Sink, channel: string | null) {
    this.sink = sink;
    this.#channel = channel;
  }

  pass(item: FollowItem): void {
    if (item.type === "end" || (item.type === "data" && this.#channel !== null && this.#channel !== item.channel))
      return;
    this.isEmpty = false;
    if (item.type === "gap") this.sink.gap(item);
    else this.sink.data(item);
  }
}

interface Selection {
  cursor: number;
  channel: string | null;
}

/**
 * Why nothing was printed: a cursor past the end, or a channel without output. `end`: the end of
 * the output so far.
 */
function emptyOutputText(session: Session, end: number, { cursor, channel }: Selection): string | null {
  const name = `session ${nameOf(session) || session.session_id}`;
  const yet = isFinal(session.state) ? "" : " yet";
  if (cursor > end) return `${name} ${isFinal(session.state) ? "ends at" : "is only at"} cursor ${end}`;
  if (channel === null) return null;
  return `${name} has no output on channel ${channel}${cursor === 0 ? "" : ` from cursor ${cursor} on`}${yet}`;
}
