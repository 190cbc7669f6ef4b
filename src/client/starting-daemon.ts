/** A daemon that is coming up, and what it says where it cannot: its log may lie on the very disk that is full. */
import { closerOf, privatePipe, setNonBlocking } from "../platform/descriptors.ts";
import { readSync } from "../platform/fs.ts";
import { textOf } from "../protocol/bytes.ts";
import { errnoOf, type HoltError } from "../protocol/errors.ts";
import { parseAnswer } from "../protocol/wire.ts";
import type { Layout } from "../transcript/layout.ts";
import { spawnDaemon } from "./spawn-daemon.ts";

/** It is one write, which a pipe takes whole. */
const REFUSAL_BYTES = 4096;

export class StartingDaemon implements Disposable {
  readonly #said: number;
  readonly #close: () => void;
  #failure: HoltError | null = null;

  constructor(layout: Layout) {
    const { readEnd, writeEnd } = privatePipe();
    this.#said = readEnd;
    this.#close = closerOf(readEnd);
    using _theirs = { [Symbol.dispose]: closerOf(writeEnd) };
    try {
      setNonBlocking(readEnd);
      spawnDaemon(layout, writeEnd);
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Why it cannot start. Null while it is coming up, when it serves, and when it left because there is another. */
  get failure(): HoltError | null {
    this.#failure ??= this.#heard();
    return this.#failure;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #heard(): HoltError | null {
    const block = new Uint8Array(REFUSAL_BYTES);
    try {
      const length = readSync(this.#said, block);
      if (length === 0) return null;
      const { outcome } = parseAnswer(textOf(block.subarray(0, length)));
      return "error" in outcome ? outcome.error : null;
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") return null;
      throw error;
    }
  }
}
