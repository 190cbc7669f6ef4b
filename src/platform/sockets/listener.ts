/**
 * Accepts connections on a socket. With no descriptor left to accept one (EMFILE) it looks away for a moment: who
 * connects waits in the kernel's queue, and nobody spins.
 */
import { closeQuietly } from "../fs/descriptors.ts";
import { POLLIN, poller, type Watch } from "../native/poller.ts";
import { acceptUnix } from "./unix-socket.ts";

const BACK_OFF_MS = 100;

export interface ListenerOptions {
  listener: number;
  /** It is the callee's to close. */
  accepted: (fd: number) => void;
  /** Why none can be taken for a moment. */
  refused: (why: string) => void;
}

export class Listener implements Disposable {
  readonly #options: ListenerOptions;
  readonly #watch: Watch;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isOver = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#watch = poller().watch(options.listener, POLLIN, () => this.look());
  }

  /** Once: by the second time its number may be somebody else's. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#watch.stop();
    closeQuietly(this.#options.listener);
  }

  /** Takes whoever waits. */
  look(): void {
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
