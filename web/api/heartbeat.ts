/**
 * Checks that the other end of a connection answers: a broken one may look open for minutes, and
 * what is sent into it is lost.
 */
export interface HeartbeatEvents {
  /** Sends a request that must be answered. */
  ping(): void;
  /** No answer for SLOW_MS. */
  slow(since: number): void;
  /** No answer for DEAD_MS: the connection is given up. */
  dead(): void;
}

const PING_EVERY_MS = 2000;
const SLOW_MS = 4000;
const DEAD_MS = 15_000;

export class Heartbeat {
  readonly #events: HeartbeatEvents;
  readonly #timer: ReturnType<typeof setInterval>;
  /**
   * Time of the unanswered ping; null after an answer. Opening the connection counts as the first
   * ping.
   */
  #pingedAt: number | null = Date.now();

  constructor(events: HeartbeatEvents) {
    this.#events = events;
    this.#timer = setInterval(() => this.#check(), PING_EVERY_MS);
  }

  received(): void {
    this.#pingedAt = null;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    // Timers of a hidden tab fire too rarely to measure.
    if (document.visibilityState !== "visible") this.#pingedAt = null;
    else if (this.#pingedAt === null) {
      this.#pingedAt = Date.now();
      this.#events.ping();
    } else this.#noAnswer(this.#pingedAt);
  }

  #noAnswer(since: number): void {
    const silence = Date.now() - since;
    if (silence > DEAD_MS) {
      this.stop();
      this.#events.dead();
    } else if (silence > SLOW_MS) this.#events.slow(since);
  }
}
