/**
 * log/expiring: the marks of expired sessions (expiry.ts) between sweeps, one line each. They lie
 * outside the session's directory, whose mtime is the age of an unreadable session. A lost mark (a
 * damaged file, two sweeps at once) delays a removal and never causes one.
 */
import { closeSync, readFileSync } from "node:fs";
import { openDirectory, openIfThereAt } from "../../platform/fs/files.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { Draft } from "../draft.ts";
import type { ExpiryMark, ClockReading } from "./expiry.ts";
import type { Layout } from "../layout.ts";
import { orNull } from "../or-null.ts";
import { amount, fields, integer, nullable, parseJson, text } from "../shape.ts";

const FILE = "expiring";

const moment = fields<ClockReading>({ wall: integer, boot_id: nullable(text), uptime_ms: integer });
const line = fields<Line>({ session_id: text, born: amount, noticed: nullable(moment), expired: nullable(moment) });

interface Line extends ExpiryMark {
  session_id: string;
  /** Creation time: a later session may have the same id. */
  born: number;
}

export class ExpiryMarks {
  readonly #layout: Layout;
  readonly #before = new Map<string, Line>();
  readonly #now: Line[] = [];

  private constructor(layout: Layout, lines: readonly Line[]) {
    this.#layout = layout;
    for (const known of lines) this.#before.set(known.session_id, known);
  }

  static read(layout: Layout): ExpiryMarks {
    const json = orNull(() => readFrom(layout)) ?? "";
    return new ExpiryMarks(
      layout,
      json.split("\n").flatMap((each) => parseJson(each, line) ?? []),
    );
  }

  of(session_id: string, born: number): ExpiryMark | null {
    const known = this.#before.get(session_id);
    return known?.born === born ? known : null;
  }

  /** Keeps a mark for save(); marks not set again are dropped. */
  set(session_id: string, born: number, mark: ExpiryMark | null): void {
    if (mark !== null) this.#now.push({ session_id, born, noticed: mark.noticed, expired: mark.expired });
  }

  save(): void {
    const lines = textOf(this.#now);
    if (lines === textOf([...this.#before.values()])) return;
    const directory = openDirectory(`${this.#layout.root}/log`);
    if (directory === null) return;
    try {
      using draft = new Draft(directory);
      draft.put(bytesOf(lines));
      draft.renameTo(FILE, { sync: false });
    } finally {
      closeSync(directory);
    }
  }
}

function textOf(lines: readonly Line[]): string {
  const sorted = lines.toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1));
  return sorted.map((each) => `${JSON.stringify(each)}\n`).join("");
}

function readFrom({ root }: Layout): string | null {
  const directory = openDirectory(`${root}/log`);
  if (directory === null) return null;
  try {
    const fd = openIfThereAt(directory, FILE, "read");
    if (fd === null) return null;
    try {
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } finally {
    closeSync(directory);
  }
}
