/** The timers of a session: timeouts, quiet detection and memory trimming. */
import type { HeldSession } from "./held-session.ts";
import { QuietWatch } from "./quiet-watch.ts";
import { IdleTrim } from "./idle-trim.ts";
import { Deadlines, type Timeouts } from "./timeouts.ts";

export class SessionTimers {
  readonly #idleTrim = new IdleTrim();
  readonly #quiet: QuietWatch;
  readonly #deadlines: Deadlines;

  /** `quietAfterMs`: time without activity after which the session counts as quiet. */
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

  /**
   * A client attached, detached or resized. That is no activity of the command, but it restarts the
   * idle timeout.
   */
  resetIdle(): void {
    this.#deadlines.active(performance.now());
  }

  /** The command has ended: nothing can time out any more. */
  commandEnded(): void {
    this.#deadlines.stop();
  }

  end(): void {
    this.#deadlines.stop();
    this.#quiet.stop();
    this.#idleTrim.stop();
  }
}
