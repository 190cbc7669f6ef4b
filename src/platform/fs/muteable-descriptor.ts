/**
 * A descriptor that can be polled through another one, and be muted there at once: the poll thread need not be told, as it
 * would have to be of any other change of interest, and does not wake while it is muted.
 */
import { O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { libc } from "../native/libc.ts";
import { machineCode } from "../native/machine-code.ts";

const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_MOD = 3;
const EPOLLIN = 1;
/** struct epoll_event is packed on x86-64 alone; its data is of no use here, and so neither is where it lies. */
const EVENT_WORDS = 4;

export class MuteableDescriptor implements Disposable {
  /** Readable while the other is, and is not muted. */
  readonly pollable: number;
  readonly #fd: number;
  readonly #event = new Uint32Array(EVENT_WORDS);
  #isClosed = false;

  private constructor(pollable: number, fd: number) {
    this.pollable = pollable;
    this.#fd = fd;
  }

  /** Null where there is no thread to keep asleep, or no descriptor to be had. */
  static of(fd: number): MuteableDescriptor | null {
    if (machineCode() === null) return null;
    const pollable = libc().epoll_create1(O_CLOEXEC);
    if (pollable < 0) return null;
    const mutable = new MuteableDescriptor(pollable, fd);
    if (mutable.#control(EPOLL_CTL_ADD, EPOLLIN)) return mutable;
    mutable[Symbol.dispose]();
    return null;
  }

  mute(isMuted: boolean): void {
    if (!this.#isClosed) this.#control(EPOLL_CTL_MOD, isMuted ? 0 : EPOLLIN);
  }

  [Symbol.dispose](): void {
    if (!this.#isClosed) closeQuietly(this.pollable);
    this.#isClosed = true;
  }

  #control(operation: number, events: number): boolean {
    this.#event[0] = events;
    return libc().epoll_ctl(this.pollable, operation, this.#fd, this.#event) === 0;
  }
}
