/** What the daemon does unasked: it sweeps, sees to it that it can be found, and ends when nobody has needed it for long. */
import { sweepDoorPages } from "../../client/sessions/login-file.ts";
import { retireIfReplaced } from "./upgrade-exit.ts";
import type { Household } from "../daemon-context.ts";
import type { Standing } from "./socket-guard.ts";
import { sweepElsewhere } from "./sweep-process.ts";

const LOOK_MS = 60 * 1000;
/** Without a call in between, at each so many looks. */
const IDLE_SWEEP_LOOKS = 10;
/** Without a call, a client or a living session. The next command that needs a daemon starts one. */
const IDLE_EXIT_MS = 15 * 60 * 1000;

export class Chores implements Disposable {
  readonly #household: Household;
  readonly #standing: Standing;
  readonly #timer: ReturnType<typeof setInterval>;
  #looks = 0;

  constructor(household: Household, standing: Standing) {
    this.#household = household;
    this.#standing = standing;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const { sessions, log } = this.#household;
    void sweepElsewhere(sessions.layout, (error) => log.write("error", "cleanup", { error }));
  }

  #look(): void {
    this.#standing.look();
    if (++this.#looks % IDLE_SWEEP_LOOKS === 0 || this.#household.idleMs() < LOOK_MS) this.#sweep();
    this.#sweepDoorPages();
    this.#household.live.recheck();
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
    const { clients, live, shutDown } = this.#household;
    if (clients > 0 || this.#household.web?.isServing === true || this.#household.idleMs() < IDLE_EXIT_MS) return;
    const { starting, running } = live.counts();
    if (starting + running === 0) shutDown();
  }
}
