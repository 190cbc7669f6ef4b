/**
 * A session's socket, as far as it can be had: a session without is still a session, and its readers fall back to the file.
 *
 * It has its name before anybody is told of the session, and is opened when the loop first turns: a command that is over by then was over before anybody could have been answered, and
 * nothing is made for them. Who connects meanwhile waits in the kernel's queue.
 */
import type { Log } from "../platform/log.ts";
import { privateDirectory } from "../platform/own-directory.ts";
import { POLLIN, pollNow } from "../platform/poller.ts";
import type { SessionState } from "../protocol/session.ts";
import { type BoundSocket, listenAt, stillBoundAt, unbind } from "../transcript/bound-socket.ts";
import type { Piece } from "./live-source.ts";
import { LiveSocket, type LiveSocketOptions } from "./live-socket.ts";

const SAME_REQUEST_MS = 1000;

export interface SessionSocketOptions {
  log: Log;
  sessionId: string;
  /** Null: none is to be had. */
  path: string | null;
  /** Listens there already. */
  bound: BoundSocket | null;
  /** What those who connect are to see. */
  live: () => Omit<LiveSocketOptions, "path" | "listener" | "sessionId">;
}

export class SessionSocket {
  readonly #options: SessionSocketOptions;
  /** Listens, and nobody is there yet. */
  #unopened: BoundSocket | null = null;
  #live: LiveSocket | null = null;
  #reboundAt = Number.NEGATIVE_INFINITY;
  /** The name is given up, or about to be: who missed it then would bring it back for good. */
  #isOver = false;

  constructor(options: SessionSocketOptions) {
    const { path, bound } = options;
    this.#options = options;
    if (path === null) {
      if (bound !== null) unbind(bound);
      return;
    }
    this.#unopened = this.#tried(
      () => (bound === null ? null : stillBoundAt(path, bound)) ?? { path, fd: listenAt(path) },
    );
    setImmediate(() => this.#open());
  }

  #open(): void {
    const unopened = this.#unopened;
    if (unopened === null) return;
    this.#unopened = null;
    const { sessionId, live } = this.#options;
    this.#live = this.#tried(
      () => new LiveSocket({ ...live(), sessionId, path: unopened.path, listener: unopened.fd }),
    );
    if (this.#live === null) unbind(unopened); // readers find the file, and no name at which nobody answers
  }

  /** These bytes, lent, are in the transcript. */
  advance(piece: Piece): void {
    this.#live?.advance(piece);
  }

  inputDrained(): void {
    this.#live?.inputDrained();
  }

  /** Its name vanished and somebody asks for it (SIGUSR1). False when it is there, or no longer to be. */
  rebindIfMissing(): boolean {
    if (!this.#isOver) this.#open();
    const { path } = this.#options;
    // Two who miss it ask at once: the second must not reach the command, which would die of it.
    if (this.#isOver || path === null || this.#live === null || !this.#live.missing)
      return performance.now() < this.#reboundAt + SAME_REQUEST_MS;
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
    this.#isOver = true;
    if (this.#unopened !== null && pollNow(this.#unopened.fd, POLLIN) === 0) return this.#unbind();
    this.#open();
    await this.#live?.finish(state, deadlineMs);
  }

  /** Whoever holds the session next listens under its name. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#unbind();
    await this.#live?.close();
  }

  /** Where nobody has been there yet. */
  #unbind(): void {
    if (this.#unopened !== null) unbind(this.#unopened);
    this.#unopened = null;
  }

  #tried<T>(listen: () => T): T | null {
    try {
      return listen();
    } catch (error) {
      const { log, sessionId, path } = this.#options;
      log.write("warn", "cannot listen", { session_id: sessionId, socket: path, error: String(error) });
      return null;
    }
  }
}
