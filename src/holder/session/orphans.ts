/** Children that are neither the command nor a helper of ours: what it left behind, and what came to us because we are their subreaper. They are reaped when they have ended. */
import { waitFor } from "../../platform/process/wait.ts";
import type { Transport } from "../../process/transport.ts";
import { reapOrphans } from "../../process/own-children.ts";

const REAP_MS = 1000;

export class Orphans {
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reap: (() => void) | null = null;
  #isStopped = false;

  /** SIGCHLD of `pid`. One signal may stand for several children: the rest is looked for a little later. */
  changed(pid: number, { pid: command, helpers }: Pick<Transport, "pid" | "helpers">): void {
    const others = new Set([command, ...helpers]);
    if (!others.has(pid)) waitFor(pid, { block: false, stops: false });
    if (this.#isStopped) return;
    this.#reap = () => reapOrphans(others);
    this.#timer ??= setTimeout(() => this.#check(), REAP_MS).unref();
  }

  /** Another session may follow in this process (restart-chain.ts, warm.ts), whose children are not ours to reap: what there is to look for is looked for now. */
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
