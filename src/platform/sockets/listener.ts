/**
 * Accepts connections on a socket. When no descriptor is left (EMFILE) it stops polling for a
 * moment, so that it does not spin; clients wait in the kernel's queue.
 */
import { closeQuietly } from "../fs/descriptors.ts";
import { POLLIN, poller, type Watch } from "../native/poller.ts";
import { acceptUnix } from "./unix-socket.ts";

const BACK_OFF_MS = 100;

export interface ListenerOptions {
  listener: number;
  /** The callee closes the connection. */
  accepted: (fd: number) => void;
  /** Called with the reason when accepting fails for a moment. */
  refused: (why: string) => void;
}

export class Listener implements Disposable {
  readonly #options: ListenerOptions;
  readonly #watch: Watch;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isOver = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#watch = poller().watch(options.listener, POLLIN, () => this.acceptAll());
  }

  /** Acts once: after it the descriptor number may belong to another file. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#watch.stop();
    closeQuietly(this.#options.listener);
  }

  /** Accepts all waiting connections. */
  acceptAll(): void {
    if (this.#isOver) return;
    try {
      for (let fd = acceptUnix(this.#options.listener); fd !== null; fd = acceptUnix(this.#options.listener))
        this.#options.accepted(fd);
    } catch (error) {
      this.#options.refused(String(error));
      this.#watch.want(0);
      this.#timer = setTimeout(() => this.#watch.want(POLLIN), BACK_OFF_MS).unref();
    }
  }
}
