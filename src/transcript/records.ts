/**
 * Writes `meta.json` and `final.json`. A holder does not load the reading side (read-records.ts).
 */
import type { Final, Meta } from "../protocol/types/session.ts";
import { BLANK_BYTES, blankRecord, Draft } from "./draft.ts";
import type { SessionDir } from "./session-dir.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { existenceCheck } from "../platform/fs/stat.ts";

export function metaText(meta: Meta): string {
  return `${JSON.stringify(meta)}\n`;
}

export function writeMeta(dir: SessionDir, value: Meta, ready: Draft | null = null): void {
  dir.writeAtomic("meta.json", metaText(value), { sync: false, ready });
}

/**
 * `final.json`. Its disk space is reserved at the start of the session, so it can be written to a
 * full disk.
 */
export class FinalRecord implements Disposable {
  readonly #dir: SessionDir;
  readonly #draft: Draft;
  readonly #mayExist: () => boolean;
  #json = "";

  private constructor(dir: SessionDir, draft: Draft) {
    this.#dir = dir;
    this.#draft = draft;
    this.#mayExist = existenceCheck("final.json", dir.fd);
  }

  static reserve(dir: SessionDir): FinalRecord {
    const draft = new Draft(dir.fd);
    try {
      draft.put(blankRecord());
    } catch (error) {
      draft[Symbol.dispose]();
      throw error;
    }
    return new FinalRecord(dir, draft);
  }

  /**
   * Tries three ways before giving up, since a session without this record looks as if its holder
   * had died: the reserved draft, new blocks with a sync, new blocks without one.
   *
   * The content is on disk before the rename: a power cut leaves a whole record or none. settle()
   * makes the name durable.
   */
  write(value: Final): void {
    this.#json = encodeFinal(value);
    try {
      if (this.#mayExist()) this.#dir.has("final.json"); // throws for a symlink, which the rename would replace
      this.#draft.put(bytesOf(this.#json));
      this.#draft.publish("final.json");
    } catch {
      this.#draft[Symbol.dispose]();
      this.#writeAnew();
    }
  }

  /** Makes the name durable; call once after write(). */
  settle(): void {
    try {
      if (this.#draft.isPublished) this.#draft.settle();
    } catch {
      this.#writeAnew();
    }
  }

  #writeAnew(): void {
    try {
      this.#dir.writeAtomic("final.json", this.#json, { sync: true });
    } catch {
      this.#dir.writeAtomic("final.json", this.#json, { sync: false });
    }
  }

  [Symbol.dispose](): void {
    this.#draft[Symbol.dispose]();
  }
}

/** Cuts the error message, the only long field, to the reserved size. */
function encodeFinal(value: Final): string {
  const json = `${JSON.stringify(value)}\n`;
  if (value.error === null || bytesOf(json).length <= BLANK_BYTES) return json;
  const message = `${value.error.message.slice(0, 400)}…`;
  return `${JSON.stringify({ ...value, error: { code: value.error.code, message } })}\n`;
}
