/** What is watched over a session's life by the clock: its timeouts, whether anything happens in it, and what it keeps of the machine. */
import type { HeldSession } from "./held-session.ts";
import { QuietWatch } from "./quiet-watch.ts";
import { IdleTrim } from "./idle-trim.ts";
import { Deadlines, type Timeouts } from "./timeouts.ts";

export class SessionTimers {
  readonly #idleTrim = new IdleTrim();
  readonly #quiet: QuietWatch;
  readonly #deadlines: Deadlines;

  /** `quietAfterMs`: after how long without a sign of life the session counts as quiet. */
  constructor(
    { record, termination }: Pick<HeldSession, "record" | "termination">,
    timeouts: Timeouts,
    quietAfterMs: number,
  ) {
    this.#quiet = new QuietWatch({
      afterMs: quietAfterMs,
      cpuTicks: () => termination.cpuTicks(),
      changed: (since) => record.event(since === null ? { type: "active" } : { type: "quiet", since }),
    });
    this.#deadlines = new Deadlines(timeouts, (reason) => void termination.stop(reason));
  }

  active(bytes: number): void {
    const now = performance.now();
    this.#deadlines.active(now);
    this.#quiet.active(now);
    this.#idleTrim.used(bytes, now);
  }

  /** Somebody came, went or changed what they see: the command does nothing by that, but it is not left alone. */
  resetIdle(): void {
    this.#deadlines.active(performance.now());
  }

  /** The command has ended: there is nothing left to time out. */
  commandEnded(): void {
    this.#deadlines.stop();
  }

  end(): void {
    this.#deadlines.stop();
    this.#quiet.stop();
    this.#idleTrim.stop();
  }
}
