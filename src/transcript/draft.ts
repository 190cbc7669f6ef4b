/**
 * A record on its way to disk: written under a name that nobody can guess, then renamed over the real one, so that a
 * reader sees the old record, or the new one, or none. A draft that never became a record is removed.
 */
import { closeSync, fsyncSync, ftruncateSync, reserveBlocks, writeSync } from "../platform/fs/libc-fs.ts";
import { openFileAt, renameAt, unlinkAt } from "../platform/fs/files.ts";

/** Fills a file that will be a record, so that it has its place on disk: the record is written over the beginning, and JSON readers skip the blank rest. */
export function blankRecord(): Uint8Array {
  return new Uint8Array(BLANK_BYTES).fill(NEWLINE);
}

export const BLANK_BYTES = 4096;
const NEWLINE = 10;

export class Draft implements Disposable {
  readonly #directory: number;
  readonly #name: string;
  readonly #fd: number;
  /** The file holds no more. */
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

  /** To become a record that is there already: a file system that sees a file replaced wants the new one's blocks before it goes on (ext4), and then has them. */
  reserve(): void {
    reserveBlocks(this.#fd, BLANK_BYTES);
  }

  /** Replaces what the draft holds; blocks that it has on disk already are used again. */
  put(bytes: Uint8Array): void {
    if (!this.#isOpen) throw new Error("the draft is closed");
    this.#held = Math.max(this.#held, bytes.length); // also when the disk refuses some of it
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

  /** The same, but the new name is only durable after settle(). The bytes are on disk before the rename: a power cut leaves a whole record, or none. */
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
      // Nobody reads a draft; it goes with its session.
    }
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}
