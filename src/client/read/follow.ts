/**
 * Follows a session from a cursor: recorded output, then live output, until its end.
 *
 * Recorded output is read from disk, which costs the holder nothing; then the holder's socket
 * brings each byte as it is written. If the socket is lost, silent or missing, the loop returns to
 * the disk and waits for changes. All paths share one cursor, so no byte comes twice and none is
 * missed.
 */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../protocol/types/errors.ts";
import {
  decodeData,
  decodeJson,
  encodeJsonFrame,
  FRAME,
  type Frame,
  PROTOCOL_VERSION,
} from "../../protocol/wire/frames.ts";
import { type Channel, isFinal, SESSION_STATES, type SessionState } from "../../protocol/types/session.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { type Layout, layoutAt, stateRoot } from "../../transcript/layout.ts";
import { TranscriptReader } from "../../transcript/read/reader.ts";
import { deadlineAfter } from "../deadline.ts";
import { HolderConnection } from "../holder/holder-connection.ts";
import { readStored } from "./read-stored.ts";

export type FollowItem =
  | { type: "data"; cursor: number; timestamp: number; channel: Channel; bytes: Uint8Array }
  | { type: "gap"; from: number; to: number }
  | { type: "end"; cursor: number; state: SessionState };

export interface FollowOptions {
  id: string;
  cursor: number;
  signal: AbortSignal;
  layout?: Layout;
  /** "none": only the end is sent. */
  output?: "all" | "none";
}

/** Past all output a session can have: only its end follows. */
export const NOTHING_BUT_THE_END = 10 ** 15 - 1;

/** The kernel accepts connections for a stopped holder, so the holder must also answer. */
const HELLO_MS = 2000;
/** A killed holder frees its lock without a file event. */
const RECHECK_MS = 1000;

/** Ends after an `end` item, or without one when the signal fires. */
export async function* follow(options: FollowOptions): AsyncGenerator<FollowItem, void> {
  const { id, signal, layout = layoutAt(stateRoot()) } = options;
  let cursor = options.output === "none" ? NOTHING_BUT_THE_END : options.cursor;
  while (!signal.aborted) {
    let socket: string | null = null;
    for (const item of onDisk(layout, id, cursor)) {
      if (item.type === "socket") {
        socket = item.path;
        break;
      }
      cursor = cursorAfter(item);
      yield item;
      if (item.type === "end" || signal.aborted) return;
    }
    const before = cursor;
    if (socket !== null) {
      for await (const item of liveItems({ path: socket, id, cursor, signal })) {
        cursor = cursorAfter(item);
        yield item;
        if (item.type === "end") return;
      }
    }
    if (cursor === before) await untilChanged({ layout, id, signal, hasNews: () => isBehind(layout, id, cursor) });
  }
}

function cursorAfter(item: FollowItem): number {
  if (item.type === "data") return item.cursor + item.bytes.length;
  return item.type === "gap" ? item.to : item.cursor;
}

/** Recorded items from the cursor on; then the end, or the socket for the rest. */
function* onDisk(
  layout: Layout,
  id: string,
  from: number,
): Generator<FollowItem | { type: "socket"; path: string | null }> {
  using reader = TranscriptReader.open(layout, id);
  // The state is read first: if it is final, the read that follows is complete.
  const { state, socket, output_bytes } = reader.session();
  yield* readStored(reader, from);
  if (isFinal(state)) yield { type: "end", cursor: output_bytes, state };
  else yield { type: "socket", path: socket };
}

interface LiveOptions {
  path: string;
  id: string;
  cursor: number;
  signal: AbortSignal;
}

/**
 * Items from the holder. Ends after an `end` item, or without one if the connection is lost or
 * unusable.
 */
async function* liveItems({ path, id, cursor, signal }: LiveOptions): AsyncGenerator<FollowItem, void> {
  using connection = await HolderConnection.dial(path, signal);
  if (connection === null) return;
  connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
  connection.send(encodeJsonFrame(FRAME.follow, { cursor: String(cursor) }));
  if (!(await readHello(connection, id))) return;
  for (let frame = await connection.next(); frame !== null; frame = await connection.next()) {
    if (frame.type === FRAME.error) return;
    const item = itemOf(frame);
    if (item === "unknown") continue;
    if (item === null) return;
    yield item;
    if (item.type === "end") return;
  }
}

async function readHello(connection: HolderConnection, id: string): Promise<boolean> {
  const timer = setTimeout(() => connection[Symbol.dispose](), HELLO_MS);
  const frame = await connection.next();
  clearTimeout(timer);
  if (frame?.type !== FRAME.hello) return false;
  const hello = decodeJson(frame.payload);
  return hello?.["protocol"] === PROTOCOL_VERSION && hello["session_id"] === id;
}

/** Null if the payload is malformed. */
function itemOf({ type, payload }: Frame): FollowItem | "unknown" | null {
  if (type === FRAME.data) {
    const data = decodeData(payload);
    return data === null ? null : { type: "data", ...data };
  }
  if (type !== FRAME.gap && type !== FRAME.end) return "unknown";
  const value = decodeJson(payload);
  if (value === null) return null;
  if (type === FRAME.gap) {
    const [from, to] = [Number(value["from"]), Number(value["to"])];
    return from <= to ? { type: "gap", from, to } : null;
  }
  const state = SESSION_STATES.find((known) => known === value["state"]);
  const end = Number(value["cursor"]);
  return state === undefined || Number.isNaN(end) ? null : { type: "end", cursor: end, state };
}

interface ChangeWait {
  layout: Layout;
  id: string;
  signal: AbortSignal;
  hasNews: () => boolean;
}

/** Returns when the session's files change, or after RECHECK_MS. */
async function untilChanged({ layout, id, signal, hasNews }: ChangeWait): Promise<void> {
  if (signal.aborted) return;
  using deadline = deadlineAfter(RECHECK_MS, signal);
  const changed = Promise.withResolvers<void>();
  deadline.signal.addEventListener("abort", () => changed.resolve(), { once: true });
  const watcher = watchDirectory(join(layout.sessions, id), () => changed.resolve());
  if (watcher === null) return; // removed: the next read reports it
  try {
    // A change between the last read and the watch has no file event.
    if (!hasNews()) await changed.promise;
  } finally {
    watcher.close();
  }
}

/** Null if the directory has been removed. */
function watchDirectory(path: string, changed: () => void): FSWatcher | null {
  try {
    return watch(path, { persistent: false }, changed).on("error", changed);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

function isBehind(layout: Layout, id: string, cursor: number): boolean {
  using reader = TranscriptReader.open(layout, id);
  return isFinal(reader.session().state) || reader.end() > cursor;
}
