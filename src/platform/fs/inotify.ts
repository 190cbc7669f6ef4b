/** Watches directories by inotify(7). A read returns all changes made before it, by any process. */
import { closerOf } from "./descriptors.ts";
import { cstring, libc } from "../native/libc.ts";

export const IN_CLOSE_WRITE = 0x8;
export const IN_MOVED_FROM = 0x40;
export const IN_MOVED_TO = 0x80;
export const IN_CREATE = 0x100;
export const IN_DELETE = 0x200;
export const IN_DELETE_SELF = 0x400;
export const IN_MOVE_SELF = 0x800;
const IN_Q_OVERFLOW = 0x4000;
const IN_ONLYDIR = 0x1000000;
const IN_DONT_FOLLOW = 0x2000000;
const IN_NONBLOCK = 0o4000;
const IN_CLOEXEC = 0o2000000;

/**
 * struct inotify_event: watch, mask, cookie, the length of the name, then the name, padded with
 * NULs.
 */
const HEADER_BYTES = 16;
const BUFFER_BYTES = 64 * 1024;
const NO_CHANGES: readonly DirectoryChange[] = [];

export interface DirectoryChange {
  watch: number;
  mask: number;
  /** The entry's name; empty when the directory itself changed. */
  name: string;
}

export class Inotify implements Disposable {
  readonly fd: number;
  readonly #buffer = Buffer.alloc(BUFFER_BYTES);

  private constructor(fd: number) {
    this.fd = fd;
  }

  /** Null on other systems than Linux, or beyond max_user_instances. */
  static open(): Inotify | null {
    if (process.platform !== "linux") return null;
    const fd = libc().inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return fd < 0 ? null : new Inotify(fd);
  }

  /** Null when there is no such directory, or beyond max_user_watches. */
  add(directory: string, mask: number): number | null {
    const watch = libc().inotify_add_watch(this.fd, cstring(directory), mask | IN_ONLYDIR | IN_DONT_FOLLOW);
    return watch < 0 ? null : watch;
  }

  /** Ignores errors: a removed directory takes its watch along. */
  remove(watch: number): void {
    libc().inotify_rm_watch(this.fd, watch);
  }

  /** The changes since the last call. Null: the kernel's queue overflowed and changes were lost. */
  read(): readonly DirectoryChange[] | null {
    let changes: DirectoryChange[] | null = null;
    for (;;) {
      const length = Number(libc().read(this.fd, this.#buffer, BUFFER_BYTES));
      if (length <= 0) return changes ?? NO_CHANGES;
      changes ??= [];
      for (let at = 0; at < length; ) {
        const mask = this.#buffer.readUInt32LE(at + 4);
        if ((mask & IN_Q_OVERFLOW) !== 0) return null;
        const end = at + HEADER_BYTES + this.#buffer.readUInt32LE(at + 12);
        const name = this.#buffer.toString("utf8", at + HEADER_BYTES, end).split("\0", 1)[0] ?? "";
        changes.push({ watch: this.#buffer.readInt32LE(at), mask, name });
        at = end;
      }
    }
  }

  [Symbol.dispose](): void {
    closerOf(this.fd)();
  }
}
