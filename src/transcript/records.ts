/** `meta.json` and `final.json`, as a holder writes them. It has no use for what reads them (read-records.ts), and does not load it. */
import type { Final, Meta } from "../protocol/types/session.ts";
import { BLANK_BYTES, blankRecord, Draft } from "./draft.ts";
import type { SessionDir } from "./session-dir.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { existenceCheck } from "../platform/fs/stat.ts";

/** `meta.json`. */
export function metaText(meta: Meta): string {
  return `${JSON.stringify(meta)}\n`;
}

export function writeMeta(dir: SessionDir, value: Meta, ready: Draft | null = null): void {
  dir.writeAtomic("meta.json", metaText(value), { sync: false, ready });
}

/** `final.json`, whose place on disk is taken when the session starts, so that it can be written on a full disk. */
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
   * Before a session is left to look as if its holder had died, a second way is tried, with other blocks of the disk, and then a
   * third: a disk that cannot promise to keep the record may keep it all the same.
   *
   * Its bytes are on disk before it has its name: a power cut leaves all of it or none. That the name stays is settle()'s.
   */
  write(value: Final): void {
    this.#json = encodeFinal(value);
    try {
      if (this.#mayExist()) this.#dir.has("final.json"); // refuses a symlink, which the rename would only replace
      this.#draft.put(bytesOf(this.#json));
      this.#draft.publish("final.json");
    } catch {
      this.#draft[Symbol.dispose]();
      this.#writeAnew();
    }
  }

  /** After write(), once. */
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

/** Of its fields only the message can be long; it is cut to what was reserved. */
function encodeFinal(value: Final): string {
  const json = `${JSON.stringify(value)}\n`;
  if (value.error === null || bytesOf(json).length <= BLANK_BYTES) return json;
  const message = `${value.error.message.slice(0, 400)}…`;
  return `${JSON.stringify({ ...value, error: { code: value.error.code, message } })}\n`;
}
