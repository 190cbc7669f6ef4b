/**
 * Reaps children that are neither the command nor a helper: leftovers of the command, which the
 * holder gets as their subreaper.
 */
import { waitFor } from "../../platform/process/wait.ts";
import type { Transport } from "../../process/transport.ts";
import { reapOrphans } from "../../process/own-children.ts";

const REAP_MS = 1000;

export class Orphans {
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reap: (() => void) | null = null;
  #isStopped = false;

  /**
   * SIGCHLD of `pid`. One signal may stand for several children: the others are looked for a little
   * later.
   */
  changed(pid: number, { pid: command, helpers }: Pick<Transport, "pid" | "helpers">): void {
    const others = new Set([command, ...helpers]);
    if (!others.has(pid)) waitFor(pid, { block: false, stops: false });
    if (this.#isStopped) return;
    this.#reap = () => reapOrphans(others);
    this.#timer ??= setTimeout(() => this.#check(), REAP_MS).unref();
  }

  /**
   * Looks for the last time: another session may follow in this process (restart-chain.ts,
   * warm.ts), and its children must not be reaped here.
   */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#check();
  }

  #check(): void {
    this.#timer = null;
    this.#reap?.();
    this.#reap = null;
  }
}
