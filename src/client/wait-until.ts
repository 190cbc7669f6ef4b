/**
 * Waits until something is so of a session: any of several conditions, whichever is first. Nothing is polled: bytes wake it, or time.
 *
 * What was printed before the cursor does not count, so that an old prompt is never taken for a new one.
 */
import { HoltError } from "../protocol/errors.ts";
import { PlainText } from "../terminal/plain-text.ts";
import { deadlineAfter } from "./deadline.ts";
import { type FollowItem, follow } from "./follow.ts";
import type { LocalSessions } from "./local-sessions.ts";

export type Condition =
  | { kind: "exit" }
  | { kind: "output" }
  /** Nothing printed for this long. */
  | { kind: "idle"; ms: number }
  /** In the text that it printed, without escape sequences, also across chunks. */
  | { kind: "match"; pattern: RegExp };

export interface WaitUntilOptions {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  until: readonly Condition[];
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Waited {
  /** Which condition held; `exited` also when none did and none can any more. */
  outcome: "exited" | "output" | "idle" | "matched" | "timeout";
  /** Where to go on reading: past what was looked at. */
  cursor: number;
  /** What matched. */
  match: string | null;
}

/** Text in which a match may still begin. */
const WINDOW = 64 * 1024;

/** ECANCELED when the signal fires. */
export async function waitUntil(options: WaitUntilOptions): Promise<Waited> {
  const { sessions, id, cursor, timeoutMs, signal } = options;
  using deadline = deadlineAfter(timeoutMs, signal);
  const enough = new AbortController();
  const items = follow({
    id,
    cursor,
    signal: AbortSignal.any([deadline.signal, enough.signal]),
    layout: sessions.layout,
  });
  const watch = new Watch(options);
  let next = items.next();
  try {
    for (;;) {
      const arrived = await Promise.race([next, watch.quiet]);
      if (signal.aborted) throw new HoltError("ECANCELED", `the wait for ${id} was canceled`);
      if (arrived === "quiet") return watch.waited("idle");
      if (arrived.done === true) return watch.waited("timeout");
      const waited = watch.take(arrived.value);
      if (waited !== null) return waited;
      next = items.next();
    }
  } finally {
    watch.stop();
    enough.abort();
    await next; // it lets go of its connection
  }
}

class Watch {
  readonly #until: readonly Condition[];
  readonly #idleMs: number | null;
  readonly #text = new PlainText();
  #window = "";
  /** The window begins in the middle of what was printed. */
  #isCut = false;
  #cursor: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #quiet = Promise.withResolvers<"quiet">();

  constructor({ until, cursor }: WaitUntilOptions) {
    this.#until = until;
    this.#cursor = cursor;
    this.#idleMs = until.reduce<number | null>(
      (least, condition) => (condition.kind === "idle" ? Math.min(least ?? condition.ms, condition.ms) : least),
      null,
    );
    this.#arm();
  }

  /** Resolves once nothing has come for as long as somebody waits for. */
  get quiet(): Promise<"quiet"> {
    return this.#quiet.promise;
  }

  waited(outcome: Waited["outcome"], match: string | null = null): Waited {
    return { outcome, cursor: this.#cursor, match };
  }

  take(item: FollowItem): Waited | null {
    if (item.type === "end") {
      this.#cursor = item.cursor;
      return this.waited("exited");
    }
    this.#cursor = item.type === "data" ? item.cursor + item.bytes.length : item.to;
    this.#arm();
    const match = item.type === "data" ? this.#matchIn(item.bytes) : null;
    if (match !== null) return this.waited("matched", match);
    return this.#until.some(({ kind }) => kind === "output") ? this.waited("output") : null;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #arm(): void {
    this.stop();
    if (this.#idleMs !== null) this.#timer = setTimeout(() => this.#quiet.resolve("quiet"), this.#idleMs);
  }

  #matchIn(bytes: Uint8Array): string | null {
    const patterns = this.#until.flatMap((condition) => (condition.kind === "match" ? [condition.pattern] : []));
    if (patterns.length === 0) return null;
    this.#window += this.#text.push(bytes);
    for (const pattern of patterns) {
      // Past one character that was looked at before, so that `^` knows whether a line begins there.
      const search = new RegExp(pattern, `${pattern.flags.replace("g", "")}g`);
      search.lastIndex = this.#isCut ? 1 : 0;
      const match = search.exec(this.#window);
      if (match !== null) return match[0];
    }
    this.#isCut ||= this.#window.length > WINDOW;
    this.#window = this.#window.slice(-WINDOW);
    return null;
  }
}
