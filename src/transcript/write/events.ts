/**
 * events.jsonl: what happened in a session besides output. The holder writes it at an offset that
 * moves past whole lines only. Lines that a full disk refuses are kept and written with a later
 * event, so that the record of a gap survives the gap.
 */
import { closeSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { readStart } from "../read/read-at.ts";
import type { SessionDir } from "../session-dir.ts";
import { bytesOf, joined } from "../../protocol/types/bytes.ts";

export interface NewEvent {
  type: string;
  [field: string]: unknown;
}

export interface SessionEvent extends NewEvent {
  /** RFC 3339. */
  at: string;
}

const NEWLINE = 10;
export const MAX_BYTES = 4 * 1024 * 1024;
/** Reserved for the event that ends a full file. */
const LAST_EVENT_BYTES = 128;
/** Most lines kept while the disk is full; further ones are dropped. */
const MAX_PENDING = 1024;

export class EventLog implements Disposable {
  readonly #fd: number;
  #position: number;
  #pending: Uint8Array[] = [];
  #isFull = false;
  #isOpen = true;

  private constructor(fd: number) {
    this.#fd = fd;
    this.#position = readStart(fd, MAX_BYTES).lastIndexOf(NEWLINE) + 1;
  }

  static open(dir: SessionDir): EventLog {
    return new EventLog(dir.openArtifact("events.jsonl", "create"));
  }

  /** Never throws: a lost event must not end a session. */
  append(event: NewEvent): void {
    this.note(event);
    this.#write();
  }

  /** Queues the event; append(), flush() or dispose writes it. */
  note(event: NewEvent): void {
    const line = encode(event);
    if (line === null || !this.#isOpen || this.#isFull || this.#pending.length >= MAX_PENDING) return;
    const bytes = this.#pending.reduce((sum, { length }) => sum + length, this.#position + line.length);
    this.#isFull = bytes > MAX_BYTES - LAST_EVENT_BYTES;
    this.#pending.push((this.#isFull ? encode({ type: "events_truncated" }) : null) ?? line);
  }

  flush(): void {
    if (this.#isOpen) this.#write();
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#write();
    closeSync(this.#fd);
  }

  #write(): void {
    if (this.#pending.length === 0) return;
    const bytes = joined(this.#pending);
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#fd, bytes.subarray(written), this.#position + written);
      }
    } catch {
      return;
    }
    this.#position += bytes.length;
    this.#pending = [];
  }
}

function encode(event: NewEvent): Uint8Array | null {
  try {
    return bytesOf(`${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`);
  } catch {
    return null; // not a JSON value
  }
}
