/**
 * Creates a file for a call: mode 0600, complete or absent, never replacing another. It is written
 * beside its name, in a directory opened for it.
 */
import { fileConstants, O_CLOEXEC } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { writeAll } from "../../platform/fs/libc-fs.ts";
import { cstring, lastErrno, libc, SystemError } from "../../platform/native/libc.ts";
import { renameNewAt } from "../../platform/fs/rename-new.ts";
import { entryStatAt } from "../../platform/fs/stat.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { withFileErrors } from "./fs-error.ts";
import type { FileLocation } from "./served-files.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fileConstants;
const BUFFER_BYTES = 256 * 1024;

export class NewFile implements Disposable {
  readonly #location: FileLocation & Disposable;
  readonly #path: string;
  readonly #draft = bytesOf(`.holt-${crypto.randomUUID()}`);
  readonly #fd: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isComplete = false;

  /** Takes ownership of the location. */
  constructor(location: FileLocation & Disposable, path: string) {
    this.#location = location;
    this.#path = path;
    try {
      if (entryStatAt(location.directory, location.name) !== null) throw new SystemError("open", "EEXIST");
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
      this.#fd = libc().openat(location.directory, cstring(this.#draft), flags, 0o600);
      if (this.#fd < 0) throw new SystemError("openat", lastErrno());
    } catch (error) {
      location[Symbol.dispose]();
      throw error;
    }
  }

  write(text: string): void {
    const bytes = bytesOf(text);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BUFFER_BYTES) this.#flush();
  }

  /** Renames the complete draft to its name. */
  complete(): void {
    this.#flush();
    withFileErrors(this.#path, () => renameNewAt(this.#location.directory, this.#draft, this.#location.name));
    this.#isComplete = true;
  }

  [Symbol.dispose](): void {
    closeQuietly(this.#fd);
    if (!this.#isComplete) libc().unlinkat(this.#location.directory, cstring(this.#draft), 0);
    this.#location[Symbol.dispose]();
  }

  #flush(): void {
    const bytes = joined(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    withFileErrors(this.#path, () => writeAll(this.#fd, bytes));
  }
}
