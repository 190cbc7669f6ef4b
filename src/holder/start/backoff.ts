/**
 * A session that waits for its restart delay. It exists on disk and can be found, renamed and
 * ended; its command does not run yet.
 */
import type { Log } from "../../platform/log/log.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { FinalReason } from "../../protocol/types/session.ts";
import type { Layout } from "../../transcript/layout.ts";
import type { ControllableSession } from "../socket/control.ts";
import { DEFAULT_ATTACH_RULES } from "../../protocol/wire/client-rules.ts";
import { LONGEST_MS } from "../session/timeouts.ts";
import { notStartedOutcome } from "../session/outcome.ts";
import type { SessionRecord } from "../session/session-record.ts";
import { SessionSocket } from "../socket/session-socket.ts";

/** Refuses every request that needs a command. */
function refuse(): never {
  throw new HoltError("ESESSIONCLOSED", "the command is not running: it waits to be started again", {
    hint: "session.get shows when it starts; session.stop cancels it",
  });
}

/** Limit for delivering the end to readers on the socket. */
const LAST_WORD_MS = 100;

export class Backoff implements ControllableSession {
  readonly record: SessionRecord;
  readonly sharing = DEFAULT_ATTACH_RULES;
  readonly reserved = { input: null, size: null };
  readonly terminal = null;
  readonly requireTerminal = refuse;
  readonly shell = null;
  readonly transport = { pendingInput: 0, inputEnd: null, endInput: refuse, signal: refuse };
  readonly termination = {
    members: () => [],
    stop: async () => this.end("stop_requested"),
    kill: async () => this.end("kill_requested"),
  };
  readonly isStarting = false;
  readonly hasEnded = false;
  readonly input = refuse;
  readonly resize = refuse;
  readonly #socket: SessionSocket;
  readonly #over = Promise.withResolvers<void>();
  #reason: FinalReason | null = null;

  constructor(layout: Layout, record: SessionRecord, log: Log) {
    this.record = record;
    this.#socket = new SessionSocket({ layout, log, session: this, bound: null });
  }

  /** True when the delay is over; false when the session was ended meanwhile. */
  async wait(delayMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#over.resolve(), Math.min(delayMs, LONGEST_MS));
    await this.#over.promise;
    clearTimeout(timer);
    if (this.#reason === null) await this.#socket.close();
    // An end requested while the socket closed still counts.
    if (this.#reason === null) return true;
    await this.#end(this.#reason);
    return false;
  }

  end(reason: FinalReason): void {
    this.#reason ??= reason;
    this.#over.resolve();
  }

  resetIdle(): void {}

  rebindIfMissing(): void {
    this.#socket.rebindIfMissing();
  }

  /** No command was started, so the session has no exit status. */
  async #end(reason: FinalReason): Promise<void> {
    this.record.event({ type: reason === "kill_requested" ? "kill" : "stop", reason });
    const final = this.record.close(notStartedOutcome(reason));
    this.record.settle();
    await this.#socket.finish(final.state, LAST_WORD_MS);
    this.record.release();
  }
}
