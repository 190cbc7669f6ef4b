/**
 * Reads what a command appends to a file. The file may appear later; its content before the command
 * starts is skipped. When another file replaces it (rotation, rename), the old one is read to its
 * end and the new one from its beginning.
 */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openIfThere, readSync } from "../../platform/fs/libc-fs.ts";
import { fileStat, isSameFile, kindOf } from "../../platform/fs/stat.ts";

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
/**
 * Polled: file events would need a Node module in every holder, and few commands have followed
 * files.
 */
const POLL_MS = 50;
const BLOCK_BYTES = 64 * 1024;
/** Limit per file and turn, so that the command's output and requests are served in between. */
const TURN_BYTES = 4 * 1024 * 1024;

export class FollowedFile {
  readonly name: string;
  readonly path: string;
  #fd: number | null = null;
  #offset = 0;
  #timer: ReturnType<typeof setInterval> | null = null;
  #isPaused = false;
  #deliver: (bytes: Uint8Array) => void = () => {};

  constructor(name: string, path: string) {
    this.name = name;
    this.path = path;
    this.#fd = this.#openFile();
    if (this.#fd !== null) this.#offset = fileStat(this.#fd).size;
  }

  begin(deliver: (bytes: Uint8Array) => void): void {
    this.#deliver = deliver;
    this.#timer = setInterval(() => this.catchUp(), POLL_MS);
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
  }

  /** Reads what was added since the last time. */
  catchUp(): void {
    this.#poll(TURN_BYTES);
  }

  /** Reads everything that is there now. */
  finish(): void {
    this.#poll(Number.POSITIVE_INFINITY);
  }

  #poll(most: number): void {
    if (this.#isPaused) return;
    try {
      this.#fd ??= this.#openFile();
      while (this.#fd !== null && this.#read(this.#fd, most)) {
        const next = this.#successorOf(this.#fd);
        if (next === null) return;
        // The command may have appended to the old file between that read and the rename.
        this.#read(this.#fd, Number.POSITIVE_INFINITY);
        closeQuietly(this.#fd);
        this.#fd = next;
        this.#offset = 0;
      }
    } catch {
      // Unreadable now; tried again at the next turn.
    }
  }

  /** True if the file was read to its end. */
  #read(fd: number, most: number): boolean {
    const { size } = fileStat(fd);
    if (size < this.#offset) this.#offset = 0; // the file was truncated
    const end = Math.min(size, this.#offset + most);
    const block = new Uint8Array(Math.min(BLOCK_BYTES, end - this.#offset));
    while (this.#offset < end) {
      const length = readSync(fd, block.subarray(0, Math.min(end - this.#offset, block.length)), this.#offset);
      if (length === 0) break;
      this.#offset += length;
      this.#deliver(block.subarray(0, length));
    }
    return end === size;
  }

  /**
   * The file that has replaced this one. Null also while the path does not exist: the old file may
   * still be written to.
   */
  #successorOf(fd: number): number | null {
    const there = this.#openFile();
    if (there === null || !isSameFile(fileStat(fd), fileStat(there))) return there;
    closeQuietly(there);
    return null;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#fd !== null) closeQuietly(this.#fd);
    this.#fd = null;
    this.#timer = null;
  }

  #openFile(): number | null {
    const fd = openIfThere(this.path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd === null || kindOf(fileStat(fd)) === "file") return fd;
    closeQuietly(fd);
    return null;
  }
}
