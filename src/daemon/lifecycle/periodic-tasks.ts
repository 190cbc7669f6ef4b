/** What the daemon does unasked: it sweeps, sees to it that it can be found, and ends when nobody has needed it for long. */
import { sweepLoginFiles } from "../../client/sessions/login-file.ts";
import { exitIfReplaced } from "./upgrade-exit.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { SocketGuard } from "./socket-guard.ts";
import { runSweepProcess } from "./sweep-process.ts";

const LOOK_MS = 60 * 1000;
/** Without a call in between, at each so many looks. */
const IDLE_SWEEP_LOOKS = 10;
/** Without a call, a client or a living session. The next command that needs a daemon starts one. */
const IDLE_EXIT_MS = 15 * 60 * 1000;

export class PeriodicTasks implements Disposable {
  readonly #daemon: DaemonContext;
  readonly #guard: SocketGuard;
  readonly #timer: ReturnType<typeof setInterval>;
  #looks = 0;

  constructor(daemon: DaemonContext, guard: SocketGuard) {
    this.#daemon = daemon;
    this.#guard = guard;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const { sessions, log } = this.#daemon;
    void runSweepProcess(sessions.layout, (error) => log.write("error", "cleanup", { error }));
  }

  #look(): void {
    this.#guard.look();
    if (++this.#looks % IDLE_SWEEP_LOOKS === 0 || this.#daemon.idleMs() < LOOK_MS) this.#sweep();
    this.#sweepDoorPages();
    this.#daemon.live.recheck();
    this.#endIfIdle();
    exitIfReplaced(this.#daemon);
  }

  #sweepDoorPages(): void {
    try {
      sweepLoginFiles(this.#daemon.sessions.layout);
    } catch (error) {
      this.#daemon.log.write("error", "cleanup", { error: String(error) });
    }
  }

  #endIfIdle(): void {
    const { clients, live, shutDown } = this.#daemon;
    if (clients > 0 || this.#daemon.web?.isServing === true || this.#daemon.idleMs() < IDLE_EXIT_MS) return;
    const { starting, running } = live.counts();
    if (starting + running === 0) shutDown();
  }
}
