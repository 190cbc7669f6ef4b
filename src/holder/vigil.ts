/** What is watched over a session's life by the clock: its timeouts, whether anything happens in it, and what it keeps of the machine. */
import type { FinalReason } from "../protocol/session.ts";
import { QuietWatch } from "./quiet-watch.ts";
import { Thrift } from "./thrift.ts";
import { Deadlines, type Timeouts } from "./timeouts.ts";

export interface VigilOptions {
  timeouts: Timeouts;
  /** After how long without a sign of life it counts as quiet. */
  quietAfterMs: number;
  cpuTicks: () => number;
  event: (event: { type: string; since?: string }) => void;
  /** Its time is over. */
  expired: (reason: FinalReason) => void;
}

export class Vigil {
  readonly #thrift = new Thrift();
  readonly #quiet: QuietWatch;
  readonly #deadlines: Deadlines;

  constructor({ timeouts, quietAfterMs, cpuTicks, event, expired }: VigilOptions) {
    this.#quiet = new QuietWatch({
      afterMs: quietAfterMs,
      cpuTicks,
      changed: (since) => event(since === null ? { type: "active" } : { type: "quiet", since }),
    });
    this.#deadlines = new Deadlines(timeouts, expired);
  }

  /** So many bytes came or went. */
  active(bytes: number): void {
    const now = performance.now();
    this.#deadlines.active(now);
    this.#quiet.active(now);
    this.#thrift.used(bytes, now);
  }

  /** Somebody came, went or changed what they see: the command does nothing by that, but it is not left alone. */
  attended(): void {
    this.#deadlines.active(performance.now());
  }

  /** The command has ended: there is nothing left to time out. */
  commandEnded(): void {
    this.#deadlines.stop();
  }

  end(): void {
    this.#deadlines.stop();
    this.#quiet.stop();
    this.#thrift.stop();
  }
}
