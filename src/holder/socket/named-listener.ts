/**
 * Listens under a session's name. The name is there before the session is announced. The loop's first turn looks at it: a command that is over by then was over before anything could be
 * asked, and nothing is made. Connections wait in the kernel's queue meanwhile. Without a socket readers fall back to the files.
 */
import { unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import { Listener } from "../../platform/sockets/listener.ts";
import type { Log } from "../../platform/log/log.ts";
import { ensurePrivateDirectory } from "../../platform/fs/own-directory.ts";
import { POLLIN, pollNow } from "../../platform/native/poller.ts";
import { entryStat, kindOf } from "../../platform/fs/stat.ts";
import type { Meta } from "../../protocol/types/session.ts";
import { type BoundSocket, listenAt, keepIfBoundAt, unbind } from "../../transcript/bound-socket.ts";

const SAME_REQUEST_MS = 1000;

export interface NamedListenerOptions {
  log: Log;
  meta: Pick<Meta, "session_id" | "socket">;
  bound: BoundSocket | null;
  /** The descriptor is the callee's to close. */
  accepted: (fd: number) => void;
}

export class NamedListener {
  readonly #options: NamedListenerOptions;
  /** Listens, and is not looked at yet. */
  #unopened: BoundSocket | null = null;
  #listener: Listener | null = null;
  #reboundAt = Number.NEGATIVE_INFINITY;
  /** The name is given up, or about to be: to bind it again would leave it there for good. */
  #isEnding = false;

  constructor(options: NamedListenerOptions) {
    const { meta, bound } = options;
    const { socket: path } = meta;
    this.#options = options;
    if (path === null) {
      if (bound !== null) unbind(bound);
      return;
    }
    this.#unopened = this.#orLogged(
      () => (bound === null ? null : keepIfBoundAt(path, bound)) ?? { path, fd: listenAt(path) },
    );
    setImmediate(() => this.#open());
  }

  #open(): void {
    const unopened = this.#unopened;
    if (unopened === null) return;
    this.#unopened = null;
    this.#listener = this.#orLogged(() => this.#listenOn(unopened.fd));
    if (this.#listener === null) unbind(unopened); // readers fall back to the file, and find no dead name
  }

  #listenOn(listener: number): Listener {
    return new Listener({ listener, accepted: this.#options.accepted, refused() {} }); // they wait in the queue
  }

  /** The name vanished and is asked for (SIGUSR1). False when it is there, or no longer to be. */
  rebindIfMissing(): boolean {
    if (!this.#isEnding) this.#open();
    const { socket: path } = this.#options.meta;
    const old = this.#listener;
    // Two who miss it ask at once: the second must not reach the command, which would die of it.
    if (this.#isEnding || path === null || old === null || isSocket(path))
      return performance.now() < this.#reboundAt + SAME_REQUEST_MS;
    this.#reboundAt = performance.now();
    this.#orLogged(() => {
      ensurePrivateDirectory(path.slice(0, path.lastIndexOf("/")));
      const fd = listenAt(path);
      old.look(); // connections that found the old name in time
      old[Symbol.dispose]();
      this.#listener = this.#listenOn(fd);
    });
    return true;
  }

  /** Accepts the connections made by now. False when the listener was never opened, and there is none. */
  acceptPending(): boolean {
    this.#isEnding = true;
    if (this.#unopened !== null && pollNow(this.#unopened.fd, POLLIN) === 0) return false;
    this.#open();
    this.#listener?.look();
    return this.#listener !== null;
  }

  close(): void {
    this.#isEnding = true;
    const { socket: path } = this.#options.meta;
    if (this.#unopened !== null) unbind(this.#unopened);
    this.#unopened = null;
    if (path === null || this.#listener === null) return;
    this.#listener[Symbol.dispose]();
    this.#listener = null;
    try {
      unlinkIfThere(path);
    } catch {
      // A dead name: it goes with its session.
    }
  }

  #orLogged<T>(listen: () => T): T | null {
    try {
      return listen();
    } catch (error) {
      const { log, meta } = this.#options;
      log.write("warn", "cannot listen", { ...meta, error: String(error) });
      return null;
    }
  }
}

function isSocket(path: string): boolean {
  try {
    const entry = entryStat(path);
    return entry !== null && kindOf(entry) === "socket";
  } catch {
    return false;
  }
}
