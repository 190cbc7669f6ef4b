/**
 * Periodic tasks of the daemon: sweep expired sessions, guard the socket, end when idle or
 * replaced.
 */
import { sweepLoginFiles } from "../../client/sessions/login-file.ts";
import { exitIfReplaced } from "./upgrade-exit.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { SocketGuard } from "./socket-guard.ts";
import { runSweepProcess } from "./sweep-process.ts";

const CHECK_MS = 60 * 1000;
/** An idle daemon sweeps once per this many checks. */
const IDLE_SWEEP_CHECKS = 10;
/**
 * Ends after this long without a call, a client or a running session; the next command starts a
 * daemon again.
 */
const IDLE_EXIT_MS = 15 * 60 * 1000;

export class PeriodicTasks implements Disposable {
  readonly #daemon: DaemonContext;
  readonly #guard: SocketGuard;
  readonly #timer: ReturnType<typeof setInterval>;
  #checks = 0;

  constructor(daemon: DaemonContext, guard: SocketGuard) {
    this.#daemon = daemon;
    this.#guard = guard;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const { sessions, log } = this.#daemon;
    void runSweepProcess(sessions.layout, (error) => log.write("error", "cleanup", { error }));
  }

  #check(): void {
    this.#guard.check();
    if (++this.#checks % IDLE_SWEEP_CHECKS === 0 || this.#daemon.idleMs() < CHECK_MS) this.#sweep();
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
