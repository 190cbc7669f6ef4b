import type { SessionDir } from "../transcript/session-dir.ts";
import { writeKeyframe } from "../transcript/write/keyframes.ts";
import type { Renderer } from "./renderer.ts";

/** What lies between two keyframes is rendered in well under a tenth of a second: so much by the emulator, or so much that scrolls by. */
const SPACING_BYTES = 2 * 1024 * 1024;
const SKIMMED_BYTES = 32 * 1024 * 1024;
/** Lines above the screen that are kept with it. */
const SCROLLBACK = 1000;

/** Keeps the screen every so often while it is rendered. A disk that refuses is asked again at the next one. */
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
    if (emulated - this.#last.emulated >= SPACING_BYTES || cursor - this.#last.cursor >= SKIMMED_BYTES) this.#keep();
  }

  /** At the end of a transcript, so that nobody has to come here again. */
  atEnd(): void {
    if (this.#renderer.cursor - this.#last.cursor >= SPACING_BYTES / 16) this.#keep();
  }

  #keep(): void {
    const { cursor, emulated } = this.#renderer;
    this.#last = { cursor, emulated };
    try {
      writeKeyframe(this.#dir, this.#renderer.replay(SCROLLBACK));
    } catch {
      // a cache that cannot be written is only slow
    }
  }
}
