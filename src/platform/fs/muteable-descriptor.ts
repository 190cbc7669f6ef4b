/**
 * A descriptor polled through an epoll descriptor, which can be muted at once. Muting needs no
 * message to the poll thread, unlike other changes of interest, and keeps it asleep.
 */
import { O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { libc } from "../native/libc.ts";
import { machineCode } from "../native/machine-code.ts";

const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_MOD = 3;
const EPOLLIN = 1;
/**
 * Room for struct epoll_event, packed only on x86-64. Its data field, whose offset differs, is
 * unused.
 */
const EVENT_WORDS = 4;

export class MuteableDescriptor implements Disposable {
  /** Readable while the descriptor is readable and not muted. */
  readonly pollable: number;
  readonly #fd: number;
  readonly #event = new Uint32Array(EVENT_WORDS);
  #isClosed = false;

  private constructor(pollable: number, fd: number) {
    this.pollable = pollable;
    this.#fd = fd;
  }

  /** Null without a poll thread, or when out of descriptors. */
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
