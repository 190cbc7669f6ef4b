/**
 * A file that a command adds to. It need not be there yet; what it holds before the command runs is not the command's. One that is put in its place,
 * as by a rotation or a rename, is read from its beginning once the first has been read to its end.
 */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openIfThere, readSync } from "../../platform/fs/libc-fs.ts";
import { fileStat, isSameFile, kindOf } from "../../platform/fs/stat.ts";

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
/** No event tells that a file has grown without a module of node's in every holder; this is for those few that follow one. */
const LOOK_MS = 50;
const BLOCK_BYTES = 64 * 1024;
/** Of each file in one turn: what a command prints, and who asks, wait meanwhile. */
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
    this.#fd = this.#opened();
    if (this.#fd !== null) this.#offset = fileStat(this.#fd).size;
  }

  begin(deliver: (bytes: Uint8Array) => void): void {
    this.#deliver = deliver;
    this.#timer = setInterval(() => this.catchUp(), LOOK_MS);
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
  }

  /** What has come since the last look. */
  catchUp(): void {
    this.#look(TURN_BYTES);
  }

  /** All that is there now. */
  finish(): void {
    this.#look(Number.POSITIVE_INFINITY);
  }

  #look(most: number): void {
    if (this.#isPaused) return;
    try {
      this.#fd ??= this.#opened();
      while (this.#fd !== null && this.#read(this.#fd, most)) {
        const next = this.#successorOf(this.#fd);
        if (next === null) return;
        // The command may have added to the first file between that read and the rename.
        this.#read(this.#fd, Number.POSITIVE_INFINITY);
        closeQuietly(this.#fd);
        this.#fd = next;
        this.#offset = 0;
      }
    } catch {
      // It cannot be read; perhaps the next time.
    }
  }

  /** Whether that was all of it. */
  #read(fd: number, most: number): boolean {
    const { size } = fileStat(fd);
    if (size < this.#offset) this.#offset = 0; // it was written anew
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

  /** The other file that has its name by now. With nobody at that name the first may still be written to. */
  #successorOf(fd: number): number | null {
    const there = this.#opened();
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

  #opened(): number | null {
    const fd = openIfThere(this.path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd === null || kindOf(fileStat(fd)) === "file") return fd;
    closeQuietly(fd);
    return null;
  }
}
