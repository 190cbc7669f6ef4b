/** A session's socket, as far as it can be had: a session without is still a session, and its readers fall back to the file. */
import type { Log } from "../platform/log.ts";
import type { SessionState } from "../protocol/session.ts";
import { privateDirectory } from "../transcript/layout.ts";
import type { Piece } from "./live-source.ts";
import { LiveSocket, type LiveSocketOptions } from "./live-socket.ts";

const SAME_REQUEST_MS = 1000;

export class SessionSocket {
  readonly #log: Log;
  readonly #id: string;
  readonly #path: string | null;
  readonly #live: LiveSocket | null;
  #reboundAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log, path: string | null, options: Omit<LiveSocketOptions, "path">) {
    this.#log = log;
    this.#id = options.sessionId;
    this.#path = path;
    this.#live = path === null ? null : this.#tried(() => new LiveSocket({ ...options, path }));
  }

  /** These bytes, lent, are in the transcript. */
  advance(piece: Piece): void {
    this.#live?.advance(piece);
  }

  inputDrained(): void {
    this.#live?.inputDrained();
  }

  /** Its name vanished and somebody asks for it (SIGUSR1). False when it is there. */
  rebindIfMissing(): boolean {
    // Two who miss it ask at once: the second must not reach the command, which would die of it.
    if (performance.now() < this.#reboundAt + SAME_REQUEST_MS) return true;
    const path = this.#path;
    if (path === null || this.#live === null || !this.#live.missing) return false;
    this.#reboundAt = performance.now();
    this.#tried(() => {
      privateDirectory(path.slice(0, path.lastIndexOf("/")));
      this.#live?.rebind();
    });
    return true;
  }

  ending(): void {
    this.#live?.ending();
  }

  async finish(state: SessionState, deadlineMs: number): Promise<void> {
    await this.#live?.finish(state, deadlineMs);
  }

  #tried<T>(listen: () => T): T | null {
    try {
      return listen();
    } catch (error) {
      this.#log.write("warn", "cannot listen", { session_id: this.#id, socket: this.#path, error: String(error) });
      return null;
    }
  }
}
