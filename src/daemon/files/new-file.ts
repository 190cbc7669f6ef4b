/** A file that a call makes: 0600, there as a whole or not at all, and in nobody's place. Written beside its name, in a directory that was opened for it. */
import { fileConstants, O_CLOEXEC } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { writeAll } from "../../platform/fs/libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../../platform/native/libc.ts";
import { renameNewAt } from "../../platform/fs/rename-new.ts";
import { entryStatAt } from "../../platform/fs/stat.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { about } from "./fs-error.ts";
import type { FileLocation } from "./served-files.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fileConstants;
const BUFFER_BYTES = 256 * 1024;

export class NewFile implements Disposable {
  readonly #place: FileLocation & Disposable;
  readonly #path: string;
  readonly #draft = bytesOf(`.holt-${crypto.randomUUID()}`);
  readonly #fd: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isComplete = false;

  /** Takes the place with it. */
  constructor(place: FileLocation & Disposable, path: string) {
    this.#place = place;
    this.#path = path;
    try {
      if (entryStatAt(place.directory, place.name) !== null) throw new SystemError("open", "EEXIST");
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
      this.#fd = libc().openat(place.directory, cstring(this.#draft), flags, 0o600);
      if (this.#fd < 0) throw new SystemError("openat", lastErrno());
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }

  write(text: string): void {
    const bytes = bytesOf(text);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BUFFER_BYTES) this.#flush();
  }

  /** It is whole: now it has its name. */
  complete(): void {
    this.#flush();
    about(this.#path, () => renameNewAt(this.#place.directory, this.#draft, this.#place.name));
    this.#isComplete = true;
  }

  [Symbol.dispose](): void {
    closeQuietly(this.#fd);
    if (!this.#isComplete) libc().unlinkat(this.#place.directory, cstring(this.#draft), 0);
    this.#place[Symbol.dispose]();
  }

  #flush(): void {
    const bytes = joined(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    about(this.#path, () => writeAll(this.#fd, bytes));
  }
}
