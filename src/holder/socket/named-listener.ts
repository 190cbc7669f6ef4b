/**
 * Listens on a session's socket path, which exists before the session is announced. Connections
 * wait in the kernel's queue until the loop's first turn: a command that ends before it needs no
 * listener. Without a socket, readers watch the files.
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
  /** The callee closes the descriptor. */
  accepted: (fd: number) => void;
}

export class NamedListener {
  readonly #options: NamedListenerOptions;
  /** Bound, and not watched yet. */
  #unopened: BoundSocket | null = null;
  #listener: Listener | null = null;
  #reboundAt = Number.NEGATIVE_INFINITY;
  /** The path is being removed: binding it again would leave it behind. */
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
    // Readers watch the files, and find no dead socket.
    if (this.#listener === null) unbind(unopened);
  }

  #listenOn(listener: number): Listener {
    // They wait in the queue.
    return new Listener({ listener, accepted: this.#options.accepted, refused() {} });
  }

  /** Binds the path again if it vanished (SIGUSR1). False if it exists, or is being removed. */
  rebindIfMissing(): boolean {
    if (!this.#isEnding) this.#open();
    const { socket: path } = this.#options.meta;
    const old = this.#listener;
    // Two clients may send SIGUSR1 at once: the second one must not be forwarded to the command,
    // which would die of it.
    if (this.#isEnding || path === null || old === null || isSocket(path))
      return performance.now() < this.#reboundAt + SAME_REQUEST_MS;
    this.#reboundAt = performance.now();
    this.#orLogged(() => {
      ensurePrivateDirectory(path.slice(0, path.lastIndexOf("/")));
      const fd = listenAt(path);
      old.acceptAll(); // connections that used the old socket in time
      old[Symbol.dispose]();
      this.#listener = this.#listenOn(fd);
    });
    return true;
  }

  /** Accepts the pending connections. False if no listener was needed. */
  acceptPending(): boolean {
    this.#isEnding = true;
    if (this.#unopened !== null && pollNow(this.#unopened.fd, POLLIN) === 0) return false;
    this.#open();
    this.#listener?.acceptAll();
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
      // A dead socket: removed with its session.
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
