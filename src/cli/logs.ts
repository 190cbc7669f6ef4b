/**
 * `holt logs`. Reading waits for writing and writing for whoever reads us (output.ts), so a transcript of any size passes
 * through in constant memory. Ctrl-C needs no handler: there is nothing to clean up, and its default ends us as a shell expects.
 */
import { type FollowItem, follow } from "../client/follow.ts";
import { LocalSessions, type TranscriptReader } from "../client/local-sessions.ts";
import { stored } from "../client/stored.ts";
import { HoltError } from "../protocol/errors.ts";
import type { Parsed } from "./arguments.ts";
import { command } from "./command.ts";
import { LOGS } from "./declarations/logs.ts";
import { jsonSink, rawSink, type Sink, textSink } from "./log-sinks.ts";
import { BrokenPipe, isStdoutGone } from "./output.ts";
import { stdoutStyle } from "./style.ts";

type Options = Parsed<typeof LOGS>["options"];

const PAUSE_MS = 100;
const READER_CHECK_MS = 250;

export const main = command(LOGS, async ({ options, positionals: [reference = ""] }) => {
  const sink = chooseSink(options);
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  using reader = sessions.reader(id);
  const cursor = startCursor(reader, options);
  if (options.follow) await followTo(sink, { id, cursor, channel: options.channel });
  // What is there now, and not what a busy command adds while we read.
  else for (const item of stored(reader, cursor, reader.end())) pass(item, sink, options.channel);
  sink.end();
  return 0;
});

function chooseSink({ raw, text, json }: Options): Sink {
  if (Number(raw) + Number(text) + Number(json) > 1) {
    throw new HoltError("EBADARGS", "--raw, --text and --json exclude each other", {
      hint: "`holt help logs` explains them",
    });
  }
  if (json) return jsonSink();
  return text || (!raw && stdoutStyle().tty) ? textSink() : rawSink();
}

function startCursor(reader: TranscriptReader, { tail, since }: Options): number {
  const first = since ?? 0;
  if (tail === null) return first;
  return Math.max(first, tail === 0 ? reader.end() : reader.tailCursor(tail));
}

async function followTo(sink: Sink, from: { id: string; cursor: number; channel: string | null }): Promise<void> {
  const abort = new AbortController();
  // Between two writes only asking shows that `| grep -m1 ready` has what it wanted.
  const check = setInterval(() => isStdoutGone() && abort.abort(), READER_CHECK_MS);
  const pauseOrLeave = (): void => {
    try {
      sink.pause();
    } catch {
      abort.abort();
    }
  };
  let pause: Timer | undefined;
  try {
    for await (const item of follow({ id: from.id, cursor: from.cursor, signal: abort.signal })) {
      clearTimeout(pause);
      pass(item, sink, from.channel);
      pause = setTimeout(pauseOrLeave, PAUSE_MS);
    }
  } finally {
    clearInterval(check);
    clearTimeout(pause);
  }
  if (abort.signal.aborted) throw new BrokenPipe();
}

function pass(item: FollowItem, sink: Sink, channel: string | null): void {
  if (item.type === "gap") sink.gap(item);
  else if (item.type === "data" && (channel === null || channel === item.channel)) sink.data(item);
}
