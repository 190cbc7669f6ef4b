/** Whether anybody is at the other end of a connection: one that was cut without a word may look open for minutes, and what is sent into it is lost. */
export interface PulseEvents {
  /** For a sign of life. */
  ask(): void;
  /** There was none for a while. */
  slow(since: number): void;
  /** Nobody is there. */
  dead(): void;
}

const ASK_EVERY_MS = 2000;
const SLOW_MS = 4000;
const DEAD_MS = 15_000;

export class Pulse {
  readonly #events: PulseEvents;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Since when there is no answer; null: there was one. To be connected is the first. */
  #askedAt: number | null = Date.now();

  constructor(events: PulseEvents) {
    this.#events = events;
    this.#timer = setInterval(() => this.#look(), ASK_EVERY_MS);
  }

  heard(): void {
    this.#askedAt = null;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    // A tab that nobody sees is woken too seldom to say.
    if (document.visibilityState !== "visible") this.#askedAt = null;
    else if (this.#askedAt === null) {
      this.#askedAt = Date.now();
      this.#events.ask();
    } else this.#silent(this.#askedAt);
  }

  #silent(since: number): void {
    const silence = Date.now() - since;
    if (silence > DEAD_MS) {
      this.stop();
      this.#events.dead();
    } else if (silence > SLOW_MS) this.#events.slow(since);
  }
}
