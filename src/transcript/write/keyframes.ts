/**
 * keyframes/: rendered screens of a session, so that no moment has to be rendered from the start.
 * Each file is named by its cursor: one line of JSON, then the bytes that rebuild the screen in a
 * new terminal. They are a cache: an unreadable or inconsistent file is ignored.
 */
import { readdirSync } from "node:fs";
import { makeDirectoryAt, openDirectoryAt, openIfThereAt } from "../../platform/fs/files.ts";
import { closeSync } from "../../platform/fs/libc-fs.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { MAX_CELLS } from "../../protocol/wire/holder-methods.ts";
import { Draft } from "../draft.ts";
import { readStart } from "../read/read-at.ts";
import type { SessionDir } from "../session-dir.ts";
import { count, fields, parseJson } from "../shape.ts";

const FOLDER = "keyframes";
const NEWLINE = 10;
/** A larger file was not written by holt. */
const MAX_BYTES = 64 * 1024 * 1024;
const NAME = /^\d{1,15}$/;

export interface Keyframe {
  cursor: number;
  cols: number;
  rows: number;
  /** Escape sequences for a new terminal of that size. */
  replay: Uint8Array;
}

const heading = fields({ format: count, cursor: count, cols: count, rows: count, bytes: count });

/** Cursors of all keyframes, ascending. */
export function keyframeCursors(dir: SessionDir): number[] {
  try {
    const names = readdirSync(`${dir.path}/${FOLDER}`);
    return names
      .filter((name) => NAME.test(name))
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch {
    return [];
  }
}

/** The last keyframe at or before the cursor. */
export function keyframeBefore(dir: SessionDir, cursor: number): Keyframe | null {
  for (const at of keyframeCursors(dir).toReversed()) {
    const keyframe = at <= cursor ? readKeyframe(dir, at) : null;
    if (keyframe !== null) return keyframe;
  }
  return null;
}

/** Throws on a disk error. */
export function writeKeyframe(dir: SessionDir, { cursor, cols, rows, replay }: Keyframe): void {
  makeDirectoryAt(dir.fd, FOLDER);
  const folder = openDirectoryAt(dir.fd, FOLDER);
  try {
    using draft = new Draft(folder);
    const head = JSON.stringify({ format: 1, cursor, cols, rows, bytes: replay.length });
    draft.put(joined([bytesOf(`${head}\n`), replay]));
    draft.renameTo(String(cursor), { sync: false });
  } finally {
    closeSync(folder);
  }
}

function readKeyframe(dir: SessionDir, cursor: number): Keyframe | null {
  let folder: number | null = null;
  let file: number | null = null;
  try {
    folder = openDirectoryAt(dir.fd, FOLDER);
    file = openIfThereAt(folder, String(cursor), "read");
    return file === null ? null : parsed(readStart(file, MAX_BYTES), cursor);
  } catch {
    return null;
  } finally {
    for (const fd of [file, folder]) if (fd !== null) closeSync(fd);
  }
}

function isSize({ cols, rows }: { cols: number; rows: number }): boolean {
  return cols >= 1 && rows >= 1 && cols * rows <= MAX_CELLS;
}

function parsed(content: Uint8Array, cursor: number): Keyframe | null {
  const end = content.indexOf(NEWLINE);
  const head = end < 0 ? null : parseJson(textOf(content.subarray(0, end)), heading);
  if (head === null || head.format !== 1 || head.cursor !== cursor) return null;
  const replay = content.subarray(end + 1);
  if (replay.length !== head.bytes || !isSize(head)) return null;
  return { cursor, cols: head.cols, rows: head.rows, replay };
}
