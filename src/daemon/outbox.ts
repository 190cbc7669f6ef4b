/**
 * Answers that are written together, when the loop has been with every connection that had something for it. Written one by one, each would wake a reader who has nothing to do but that one, and
 * the waking costs more than the writing; of many at once the first wakes, and the others are found.
 *
 * Nobody waits long for the others: what has been gathered for a moment is written before the loop goes on, and whoever is about to do what may take longer writes it first.
 */
import type { Method } from "../protocol/table.schema.ts";
import { LastingAnswers } from "./lasting-answers.ts";
import type { Clock } from "../surfaces/jsonrpc/turns.ts";

const MOMENT_MS = 0.5;
/** What is answered at once, whatever is asked for. */
const FROM_MEMORY: ReadonlySet<string> = new Set<Method>(["health.info", "session.unsubscribe"]);

export interface Sender {
  write(): void;
}

export class Outbox {
  /** What is the same for many is kept for all of them. */
  readonly lasting = new LastingAnswers();
  readonly #clock: Clock;
  #senders: Sender[] = [];
  #until = 0;
  #isAsked = false;
  readonly #asked = (): void => {
    this.#isAsked = false;
    this.#write();
  };

  constructor(clock: Clock = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether it is still to be written. */
  add(sender: Sender): boolean {
    const now = this.#clock();
    if (this.#senders.length === 0) this.#until = now + MOMENT_MS;
    this.#senders.push(sender);
    if (now >= this.#until) this.#write();
    else if (!this.#isAsked) this.#ask();
    return this.#senders.length > 0;
  }

  /** A call of that method is about to be made: who has an answer does not wait until this one has theirs. */
  before(method: string): void {
    if (!FROM_MEMORY.has(method)) this.#write();
  }

  #write(): void {
    if (this.#senders.length === 0) return;
    const senders = this.#senders;
    this.#senders = [];
    for (const sender of senders) sender.write();
  }

  #ask(): void {
    this.#isAsked = true;
    setImmediate(this.#asked);
  }
}
