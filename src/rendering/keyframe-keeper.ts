/** Writes keyframes of a session's screen while its transcript is rendered. */
import type { SessionDir } from "../transcript/session-dir.ts";
import { writeKeyframe } from "../transcript/write/keyframes.ts";
import type { Renderer } from "./renderer.ts";

/**
 * Distances between keyframes, in emulated bytes and in bytes that scrolled by. Rendering either
 * takes well under 100 ms.
 */
const SPACING_BYTES = 2 * 1024 * 1024;
const SPACING_WITH_SKIPPED_BYTES = 32 * 1024 * 1024;
/** Lines of scrollback in a keyframe. */
const SCROLLBACK = 1000;

/**
 * Writes a keyframe whenever enough was rendered since the last one. After a failed write the next
 * one is tried again.
 */
export class KeyframeKeeper {
  readonly #dir: SessionDir;
  readonly #renderer: Renderer;
  #last: { cursor: number; emulated: number };

  constructor(dir: SessionDir, renderer: Renderer) {
    this.#dir = dir;
    this.#renderer = renderer;
    this.#last = { cursor: renderer.cursor, emulated: 0 };
  }

  onProgress(): void {
    const { cursor, emulated } = this.#renderer;
    if (emulated - this.#last.emulated >= SPACING_BYTES || cursor - this.#last.cursor >= SPACING_WITH_SKIPPED_BYTES)
      this.#keep();
  }

  /** Called at the end of a transcript: later readers start from this keyframe. */
  atEnd(): void {
    if (this.#renderer.cursor - this.#last.cursor >= SPACING_BYTES / 16) this.#keep();
  }

  #keep(): void {
    const { cursor, emulated } = this.#renderer;
    this.#last = { cursor, emulated };
    try {
      writeKeyframe(this.#dir, this.#renderer.replay(SCROLLBACK));
    } catch {
      // a keyframe is only a cache
    }
  }
}
