/**
 * `holt logs`. Reading waits for writing and writing for whoever reads us (output.ts), so a transcript of any size passes
 * through in constant memory. Ctrl-C needs no handler: there is nothing to clean up, and its default ends us as a shell expects.
 */
import { follow, type FollowItem } from "../../../client/read/follow.ts";
import { LocalSessions, type TranscriptReader } from "../../../client/sessions/local-sessions.ts";
import { readStored, upTo } from "../../../client/read/read-stored.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import { command } from "../../declarations/command.ts";
import { LOGS } from "../../declarations/output/logs.ts";
import { isOfLines, printLines, rangeOf, requireSense } from "./log-lines.ts";
import { jsonSink, rawSink, type Sink, textSink } from "./log-sinks.ts";
import { BrokenPipe, isStdoutGone, writeErr } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";
import { nameOf } from "../../output/describe-session.ts";

type Options = Parsed<typeof LOGS>["options"];

const PAUSE_MS = 100;
const READER_CHECK_MS = 250;

export const main = command(LOGS, async ({ options, positionals: [reference = ""] }) => {
  const sink = chooseSink(options);
  const range = rangeOf(options);
  requireSense(options);
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  if (isOfLines(options)) return printLines({ sessions, id, range, options });
  using reader = sessions.reader(id);
  const asked = { cursor: startCursor(reader, options, range.from), channel: options.channel };
  const tap = new Tap(sink, asked.channel);
  const wasAlive = !isFinal(reader.session().state);
  if (options.follow) await followTo(tap, id, asked.cursor);
  // What is there now, and not what a busy command adds while we read.
  else {
    const end = Math.min(range.to ?? Number.POSITIVE_INFINITY, reader.end());
    const items = readStored(reader, asked.cursor, end);
    for (const item of range.to === null ? items : upTo(range.to, items)) tap.pass(item);
  }
  sink.end();
  if (options.follow && wasAlive && sessionOrNull(reader)?.reason === "holder_lost") return tellLoss(id, options);
  if (tap.isSilent) explainSilence(reader, asked, options);
  return 0;
});

/** What was followed did not end: nobody records it any more. Exit code as of `holt wait --exit-code`. */
function tellLoss(id: string, { json }: Options): number {
  const text = `the holder of ${id} was lost: what its command prints from now on is not recorded`;
  writeErr(json ? `${JSON.stringify({ note: text })}\n` : `holt: ${text}\n`);
  return EXIT_FAILURE;
}

function explainSilence(reader: TranscriptReader, asked: Asked, { json }: Options): void {
  const session = sessionOrNull(reader);
  if (session === null) return;
  const text = silenceText(session, isFinal(session.state) ? session.output_bytes : reader.end(), asked);
  if (text !== null) writeErr(json ? `${JSON.stringify({ note: text })}\n` : `holt: ${text}\n`);
}

/** Null when it was removed while we read it. */
function sessionOrNull(reader: TranscriptReader): Session | null {
  try {
    return reader.session();
  } catch {
    return null;
  }
}

function chooseSink({ raw, text, json }: Options): Sink {
  if (Number(raw) + Number(text) + Number(json) > 1) {
    throw new HoltError("EBADARGS", "--raw, --text and --json exclude each other", {
      hint: "`holt help logs` explains them",
    });
  }
  if (json) return jsonSink();
  const isSeen = stdoutStyle().tty;
  return text || (!raw && isSeen) ? textSink() : rawSink(isSeen);
}

function startCursor(reader: TranscriptReader, { tail }: Options, first: number): number {
  if (tail === null) return first;
  return Math.max(first, tail === 0 ? reader.end() : reader.tailCursor(tail));
}

async function followTo(tap: Tap, id: string, cursor: number): Promise<void> {
  const abort = new AbortController();
  // Between two writes only asking shows that `| grep -m1 ready` has what it wanted.
  const check = setInterval(() => isStdoutGone() && abort.abort(), READER_CHECK_MS);
  const pauseOrLeave = (): void => {
    try {
      tap.sink.pause();
    } catch {
      abort.abort();
    }
  };
  let pause: Timer | undefined;
  try {
    for await (const item of follow({ id, cursor, signal: abort.signal })) {
      clearTimeout(pause);
      tap.pass(item);
      pause = setTimeout(pauseOrLeave, PAUSE_MS);
    }
  } finally {
    clearInterval(check);
    clearTimeout(pause);
  }
  if (abort.signal.aborted) throw new BrokenPipe();
}

/** Lets through what was asked for, and knows whether that was anything. */
class Tap {
  readonly sink: Sink;
  readonly #channel: string | null;
  isSilent = true;

  constructor(sink: Sink, channel: string | null) {
    this.sink = sink;
    this.#channel = channel;
  }

  pass(item: FollowItem): void {
    if (item.type === "end" || (item.type === "data" && this.#channel !== null && this.#channel !== item.channel))
      return;
    this.isSilent = false;
    if (item.type === "gap") this.sink.gap(item);
    else this.sink.data(item);
  }
}

interface Asked {
  cursor: number;
  channel: string | null;
}

/** Why nothing was printed, where that may be a slip: a cursor past the end, or a channel without output. `end` is the end of the output so far. */
function silenceText(session: Session, end: number, { cursor, channel }: Asked): string | null {
  const name = `session ${nameOf(session) || session.session_id}`;
  const yet = isFinal(session.state) ? "" : " yet";
  if (cursor > end) return `${name} ${isFinal(session.state) ? "ends at" : "has only come to"} cursor ${end}`;
  if (channel === null) return null;
  return `${name} has no output on channel ${channel}${cursor === 0 ? "" : ` from cursor ${cursor} on`}${yet}`;
}
