/** A small file of the state directory that only its user can read: as it is written, all of it or nothing. */
import { openDirectory, openFileAt, openIfThereAt, renameAt } from "./files.ts";
import { closeSync, readToEnd, unlinkIfThere, writeAll } from "./libc-fs.ts";
import { SystemError } from "../native/libc.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";

export class PrivateFile {
  readonly #directory: string;
  readonly #name: string;

  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  /** Null when there is none. */
  read(): string | null {
    return this.#within((directory) => {
      const fd = openIfThereAt(directory, this.#name, "read");
      if (fd === null) return null;
      try {
        return textOf(readToEnd(fd));
      } finally {
        closeSync(fd);
      }
    });
  }

  write(text: string): void {
    const draft = `${this.#name}.${process.pid}.tmp`;
    unlinkIfThere(`${this.#directory}/${draft}`);
    this.#within((directory) => {
      const fd = openFileAt(directory, draft, "create_new");
      try {
        writeAll(fd, bytesOf(text));
        renameAt(directory, draft, this.#name);
      } catch (error) {
        unlinkIfThere(`${this.#directory}/${draft}`);
        throw error;
      } finally {
        closeSync(fd);
      }
    });
  }

  remove(): void {
    unlinkIfThere(`${this.#directory}/${this.#name}`);
  }

  #within<T>(work: (directory: number) => T): T {
    const directory = openDirectory(`${this.#directory}/.`); // the state directory may be a link of its user's
    if (directory === null) throw new SystemError("open", "ENOENT", this.#directory);
    try {
      return work(directory);
    } finally {
      closeSync(directory);
    }
  }
}
