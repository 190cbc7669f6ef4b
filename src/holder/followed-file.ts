/** A file that a command adds to. It need not be there yet; what it holds before the command runs is not the command's. */
import { fileConstants } from "../platform/constants.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { openIfThere, readSync } from "../platform/fs.ts";
import { fileStat, kindOf } from "../platform/stat.ts";

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
/** No event tells that a file has grown without a module of node's in every holder; this is for those few that follow one. */
const LOOK_MS = 50;
const BLOCK_BYTES = 64 * 1024;

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
    this.#open();
    if (this.#fd !== null) this.#offset = fileStat(this.#fd).size;
  }

  begin(deliver: (bytes: Uint8Array) => void): void {
    this.#deliver = deliver;
    this.#timer = setInterval(() => this.catchUp(), LOOK_MS);
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
  }

  /** All that is there now. */
  catchUp(): void {
    if (this.#isPaused) return;
    try {
      this.#open();
      if (this.#fd === null) return;
      const { size } = fileStat(this.#fd);
      if (size < this.#offset) this.#offset = 0; // it was written anew
      const block = new Uint8Array(Math.min(BLOCK_BYTES, Math.max(0, size - this.#offset)));
      for (let left = size - this.#offset; left > 0; left = size - this.#offset) {
        const length = readSync(this.#fd, block.subarray(0, Math.min(left, block.length)), this.#offset);
        if (length === 0) return;
        this.#offset += length;
        this.#deliver(block.subarray(0, length));
      }
    } catch {
      // It cannot be read; perhaps the next time.
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#fd !== null) closeQuietly(this.#fd);
    this.#fd = null;
    this.#timer = null;
  }

  #open(): void {
    if (this.#fd !== null) return;
    const fd = openIfThere(this.path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd === null) return;
    if (kindOf(fileStat(fd)) === "file") this.#fd = fd;
    else closeQuietly(fd);
  }
}
