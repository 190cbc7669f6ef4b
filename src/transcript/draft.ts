/**
 * Writes a file atomically: under an unguessable name first, then renamed over the real one, so
 * that a reader sees the old content, the new content or no file. An unused draft is removed.
 */
import { closeSync, fsyncSync, ftruncateSync, reserveBlocks, writeSync } from "../platform/fs/libc-fs.ts";
import { openFileAt, renameAt, unlinkAt } from "../platform/fs/files.ts";

/**
 * Newlines that reserve disk space for a record. The record overwrites the start, and JSON readers
 * skip the blank rest.
 */
export function blankRecord(): Uint8Array {
  return new Uint8Array(BLANK_BYTES).fill(NEWLINE);
}

export const BLANK_BYTES = 4096;
const NEWLINE = 10;

export class Draft implements Disposable {
  readonly #directory: number;
  readonly #name: string;
  readonly #fd: number;
  /** Upper bound of the file's size. */
  #held = 0;
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

  /**
   * Reserves blocks for a draft that replaces an existing record: ext4 allocates the blocks of the
   * new file during the rename unless it has them.
   */
  reserve(): void {
    reserveBlocks(this.#fd, BLANK_BYTES);
  }

  /** Replaces the draft's content, and reuses its blocks on disk. */
  put(bytes: Uint8Array): void {
    if (!this.#isOpen) throw new Error("the draft is closed");
    this.#held = Math.max(this.#held, bytes.length); // also if the write fails halfway
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#fd, bytes.subarray(at), at);
    if (this.#held > bytes.length) ftruncateSync(this.#fd, bytes.length);
    this.#held = bytes.length;
  }

  renameTo(name: string, { sync }: { sync: boolean }): void {
    if (sync) fsyncSync(this.#fd);
    renameAt(this.#directory, this.#name, name);
    this.#close();
    if (sync) fsyncSync(this.#directory);
  }

  /**
   * Renames without syncing the directory: the name is durable after settle(). The content is
   * synced before the rename, so a power cut leaves a whole record or none.
   */
  publish(name: string): void {
    fsyncSync(this.#fd);
    renameAt(this.#directory, this.#name, name);
    this.#isPublished = true;
  }

  settle(): void {
    try {
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
      // No reader opens a draft; it is removed with its session.
    }
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}
