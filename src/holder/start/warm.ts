/**
 * A holder that waits for its sessions, one after the other: what can be done before a request is known is done while nothing waits for it, and after a
 * session that left nothing behind it waits for the next one, which then needs no start of the runtime.
 *
 * It waits in read(2) on the daemon's channel: a daemon that ends, however it ends, leaves no holder without a session behind. A signal that ends a
 * holder without a session ends nothing else, whenever it comes: one that waited for the loop would end the session that comes next.
 */
import { closeQuietly, moveToPrivate } from "../../platform/fs/descriptors.ts";
import { readdirSync } from "../../platform/fs/libc-fs.ts";
import { readProc } from "../../platform/process/processes.ts";
import { withDefaults } from "../../platform/process/signal-action.ts";
import {
  type EndNotice,
  type FreeNotice,
  REPLY_FD,
  REQUEST_FD,
  type StartRequest,
} from "../../protocol/wire/start-request.ts";
import { ReservedDir } from "../../transcript/write/reserved-dir.ts";
import type { Layout } from "../../transcript/layout.ts";
import { ownChildren } from "../../process/own-children.ts";
import { messageSender, readLine, type StartChannel } from "./start-channel.ts";

const SIGINT = 2;
const SIGTERM = 15;

/** What grows without being noticed ends with the process. */
const MAX_SESSIONS = 100;
/** Resident and not shared. A session begins with less than 5 MB; one that loaded an emulator leaves more than this. */
const MAX_OWN_KB = 7 * 1024;

/** A reply may be larger than a socket's buffer. A daemon that is stopped does not hold up the session for longer, and finds it on disk. */
const REPLY_MS = 2000;

/** Where a session is kept. */
export interface HolderStorage {
  layout: Layout;
  /** Made ready for the session; null where it has to see to that itself. */
  berth: ReservedDir | null;
}

/** A whole session, from the request to its last word. */
export type RunSession = (channel: StartChannel, storage: HolderStorage) => Promise<"unasked" | "failed" | "ended">;

/** Returns when no session can come any more. `rest`: there is no session now, and signals that came so far are for none. */
export async function holdSessions(layout: Layout, runSession: RunSession, becomeIdle: () => void): Promise<void> {
  const fd = moveToPrivate(REQUEST_FD); // no child's
  closeQuietly(REPLY_FD);
  Bun.gc(true); // what loading left lies where the session's lasting things then go, instead of between them
  becomeIdle(); // it takes the handlers: what is set to its default below stays so
  const startChannel = socketStartChannel(fd);
  let usual = Infinity;
  for (let sessions = 1; sessions <= MAX_SESSIONS; sessions++) {
    const { line, storage } = withDefaults([SIGINT, SIGTERM], () => {
      becomeIdle();
      const empty = { layout, berth: berthIn(layout) };
      if (sessions > 1) startChannel.free();
      return { line: readLine(fd), storage: empty };
    });
    // From here on a signal is the session's.
    const outcome = await runSession({ ...startChannel, request: () => requestIn(line) }, storage);
    await new Promise(setImmediate); // what the session put off
    const open = openDescriptors();
    if (outcome !== "ended" || ownChildren()?.length !== 0 || open > usual || !isSmall()) return;
    usual = open;
  }
}

/** Without /proc it cannot be known what a session has left: no other one comes. */
function openDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return Infinity;
  }
}

/** A collection costs a fraction of a new process, and a session leaves about 100 KB of garbage. */
function isSmall(): boolean {
  if (ownKilobytes() <= MAX_OWN_KB) return true;
  Bun.gc(true);
  return ownKilobytes() <= MAX_OWN_KB;
}

function ownKilobytes(): number {
  return Number(/^RssAnon:\s*(\d+)/m.exec(readProc("/proc/self/status") ?? "")?.[1] ?? Infinity);
}

function requestIn(line: string | null): StartRequest | null {
  return line === null ? null : (JSON.parse(line) as StartRequest);
}

/** A disk that is full now may not be when the session comes. */
function berthIn(layout: Layout): ReservedDir | null {
  try {
    return new ReservedDir(layout);
  } catch {
    return null;
  }
}

function socketStartChannel(to: number): StartChannel & { free(): void } {
  const send = messageSender(to);
  let isReadable = true;
  const sendReply = (message: object, patienceMs: number): void => {
    if (isReadable) isReadable = send(message, patienceMs);
  };
  return {
    sweeps: false,
    request: () => null,
    reply: (answer) => sendReply(answer, REPLY_MS),
    free: () => sendReply({ free: true } satisfies FreeNotice, REPLY_MS),
    ended: (final) => sendReply({ ended: final.session_id, final } satisfies EndNotice, 0),
  };
}
