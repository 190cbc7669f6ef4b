/** A small file in the state directory, readable only by its user and replaced atomically. */
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
    const temporary = `${this.#name}.${process.pid}.tmp`;
    unlinkIfThere(`${this.#directory}/${temporary}`);
    this.#within((directory) => {
      const fd = openFileAt(directory, temporary, "create_new");
      try {
        writeAll(fd, bytesOf(text));
        renameAt(directory, temporary, this.#name);
      } catch (error) {
        unlinkIfThere(`${this.#directory}/${temporary}`);
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
    const directory = openDirectory(`${this.#directory}/.`); // the state directory may be a symlink
    if (directory === null) throw new SystemError("open", "ENOENT", this.#directory);
    try {
      return work(directory);
    } finally {
      closeSync(directory);
    }
  }
}
