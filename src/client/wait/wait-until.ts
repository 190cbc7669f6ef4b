/**
 * Waits until one of several conditions on a session holds. New bytes and timers wake it;
 * conditions without an event are checked at bounded intervals (conditions/periodic-check.ts).
 *
 * Output before the cursor does not count, so that an old prompt is never taken for a new one.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import type { Condition, MetCondition, WaitResult, WatchContext, Watcher } from "./conditions/condition.ts";
import { watchAll } from "./conditions/watch.ts";
import { deadlineAfter } from "../deadline.ts";
import { follow } from "../read/follow.ts";
import type { Chunk, LocalSessions, ReadResult } from "../sessions/local-sessions.ts";

export type { Condition, WaitResult };

export interface WaitUntilOptions {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  until: readonly Condition[] | ((context: WatchContext) => Watcher);
  timeoutMs: number;
  signal: AbortSignal;
}

export const NO_FINDINGS = { match: null, reason: null, evidence: null, port: null, address: null, unjudged: false };

/** ECANCELED when the signal fires. */
export async function waitUntil({
  sessions,
  id,
  cursor,
  until,
  timeoutMs,
  signal,
}: WaitUntilOptions): Promise<WaitResult> {
  using deadline = deadlineAfter(timeoutMs, signal);
  const met = Promise.withResolvers<WaitResult>();
  let seen = cursor;
  let isUnjudged = false;
  let output: "all" | "none" = "all";
  const meet = (what: MetCondition): void =>
    met.resolve({ ...NO_FINDINGS, unjudged: isUnjudged, cursor: reached(), ...what });
  const unjudged = (): void => {
    isUnjudged = true;
  };
  const context: WatchContext = { sessions, id, meet, unjudged, fail: met.reject };
  const watchers = typeof until === "function" ? [until(context)] : watchAll(until, context);
  if (!watchers.some((watcher) => "take" in watcher)) output = "none";
  const stop = new AbortController();
  const reading = signal.aborted ? null : read().catch(met.reject);
  const timeUp = (): void => meet({ outcome: "timeout" });
  deadline.signal.addEventListener("abort", timeUp);
  if (deadline.signal.aborted) timeUp();
  try {
    const waited = await met.promise;
    if (signal.aborted) throw new HoltError("ECANCELED", `the wait for ${id} was canceled`);
    return waited;
  } finally {
    deadline.signal.removeEventListener("abort", timeUp);
    stop.abort();
    for (const watcher of watchers) watcher[Symbol.dispose]();
    await reading; // closes its connection
  }

  /** The cursor of the answer, also if no condition reads the output. */
  function reached(): number {
    if (output === "all") return seen;
    try {
      using reader = sessions.reader(id);
      return Math.max(seen, reader.end());
    } catch {
      return seen; // the session was removed or cannot be read; the condition holds all the same
    }
  }

  /**
   * Awaits one item at a time, without Promise.race: a race against a long-lived promise retains
   * every item.
   */
  async function read(): Promise<void> {
    for await (const item of follow({ id, cursor, signal: stop.signal, layout: sessions.layout, output })) {
      if (stop.signal.aborted) return;
      if (item.type === "end") {
        seen = Math.max(seen, item.cursor);
        for (const watcher of watchers) await watcher.ended?.();
        meet({ outcome: "exited" });
        return;
      }
      seen = item.type === "data" ? item.cursor + item.bytes.length : item.to;
      for (const watcher of watchers) await watcher.take?.(item);
    }
  }
}

interface WaitForOutputOptions extends Omit<WaitUntilOptions, "until"> {
  maxBytes: number;
}

export interface OutputWaitResult extends ReadResult {
  outcome: "data" | "exited" | "timeout";
}

/**
 * Output past the cursor: at once if there is some or the session has ended, else when it arrives.
 * The bytes that wake the wait are returned as the holder sent them: on disk they are not indexed
 * for some milliseconds, and in a capture gap never. ECANCELED when the signal fires.
 */
export async function waitForOutput({ maxBytes, ...options }: WaitForOutputOptions): Promise<OutputWaitResult> {
  const now = options.sessions.read(options.id, { cursor: options.cursor, maxBytes });
  if (now.chunks.length > 0) return { ...now, outcome: "data" };
  if (now.eof) return { ...now, outcome: "exited" };

  const chunks: Chunk[] = [];
  const firstBytes = ({ meet }: WatchContext): Watcher => ({
    take(item) {
      if (item.type === "gap") now.truncated = true;
      else if (chunks.length === 0) {
        const { cursor, channel, timestamp } = item;
        const bytes = item.bytes.subarray(0, maxBytes);
        chunks.push({ channel, offset: cursor, timestamp: new Date(timestamp).toISOString(), bytes });
        meet({ outcome: "data", cursor: cursor + bytes.length });
      }
    },
    [Symbol.dispose]() {},
  });
  const { outcome, cursor } = await waitUntil({ ...options, cursor: now.next_cursor, until: firstBytes });
  const waited = { ...now, next_cursor: cursor };
  if (outcome === "timeout") return { ...waited, outcome };
  return outcome === "exited" ? { ...waited, outcome, eof: true } : { ...waited, outcome: "data", chunks };
}
