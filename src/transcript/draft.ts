/**
 * A record on its way to disk: written under a name that nobody can guess, then renamed over the real one, so that a
 * reader sees the old record, or the new one, or none. A draft that never became a record is removed.
 */
import { closeSync, fsyncSync, ftruncateSync, writeSync } from "../platform/fs.ts";
import { openFileAt, renameAt, unlinkAt } from "../platform/files.ts";

export class Draft implements Disposable {
  readonly #directory: number;
  readonly #name: string;
  readonly #fd: number;
  /** The file holds no more. */
  #bytes = 0;
  #isOpen = true;
  #isPublished = false;

  constructor(directory: number) {
    this.#directory = directory;
    this.#name = `.draft-${crypto.randomUUID()}`;
    this.#fd = openFileAt(directory, this.#name, "create_new");
  }

  get isPublished(): boolean {
    return this.#isPublished;
  }

  /** Replaces what the draft holds; blocks that it has on disk already are used again. */
  put(bytes: Uint8Array): void {
    if (!this.#isOpen) throw new Error("the draft is closed");
    const before = this.#bytes;
    this.#bytes = Math.max(before, bytes.length); // also when the disk refuses the rest
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#fd, bytes.subarray(at), at);
    if (before > bytes.length) ftruncateSync(this.#fd, bytes.length);
    this.#bytes = bytes.length;
  }

  become(name: string, { sync }: { sync: boolean }): void {
    if (sync) fsyncSync(this.#fd);
    renameAt(this.#directory, this.#name, name);
    this.#close();
    if (sync) fsyncSync(this.#directory);
  }

  /** The same at once for readers, and for the disk with settle(): a power cut in between leaves what is no record. */
  publish(name: string): void {
    renameAt(this.#directory, this.#name, name);
    this.#isPublished = true;
  }

  settle(): void {
    try {
      fsyncSync(this.#fd);
      fsyncSync(this.#directory);
    } finally {
      this.#close();
    }
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#close();
    if (this.#isPublished) return;
    try {
      unlinkAt(this.#directory, this.#name);
    } catch {
      // Nobody reads a draft; it goes with its session.
    }
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}
