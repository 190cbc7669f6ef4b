/** What the daemon does unasked: it sweeps, sees to it that it can be found, and ends when nobody has needed it for long. */
import { sweepDoorPages } from "../client/door-page.ts";
import { retireIfReplaced } from "./retirement.ts";
import type { Household } from "./household.ts";
import type { Standing } from "./standing.ts";
import { sweepElsewhere } from "./sweep-elsewhere.ts";

const SWEEP_MS = 10 * 60 * 1000;
const LOOK_MS = 60 * 1000;
/** Without a call, a client or a living session. The next command that needs a daemon starts one. */
const IDLE_EXIT_MS = 15 * 60 * 1000;

export class Chores implements Disposable {
  readonly #household: Household;
  readonly #standing: Standing;
  readonly #timers: ReturnType<typeof setInterval>[];

  constructor(household: Household, standing: Standing) {
    this.#household = household;
    this.#standing = standing;
    this.#timers = [setInterval(() => this.#sweep(), SWEEP_MS), setInterval(() => this.#look(), LOOK_MS)];
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #sweep(): void {
    const { sessions, log } = this.#household;
    void sweepElsewhere(sessions.layout, (error) => log.write("error", "cleanup", { error }));
  }

  #look(): void {
    this.#standing.look();
    this.#sweepDoorPages();
    this.#endIfIdle();
    retireIfReplaced(this.#household);
  }

  #sweepDoorPages(): void {
    try {
      sweepDoorPages(this.#household.sessions.layout);
    } catch (error) {
      this.#household.log.write("error", "cleanup", { error: String(error) });
    }
  }

  #endIfIdle(): void {
    const { clients, sessions, shutDown } = this.#household;
    if (clients > 0 || this.#household.web?.isServing === true || this.#household.idleMs() < IDLE_EXIT_MS) return;
    if (sessions.living().length === 0) shutDown();
  }
}
