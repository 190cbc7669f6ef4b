/**
 * A holder that waits for start requests, so that a session does not wait for the start of the
 * runtime. After a session that left nothing behind, it waits for the next one.
 *
 * It waits in read(2) on the daemon's channel: when the daemon ends, in whatever way, every idle
 * holder ends. SIGINT and SIGTERM have their default action meanwhile: a pending handler would end
 * the next session instead.
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

/** Bounds leaks that are too small to notice. */
const MAX_SESSIONS = 100;
/**
 * Resident, not shared. A session begins with less than 5 MB; one that has loaded an emulator has
 * more than this.
 */
const MAX_OWN_KB = 7 * 1024;

/**
 * A reply may be larger than the socket's buffer. A stopped daemon delays the session no longer
 * than this; it finds the session on disk.
 */
const REPLY_MS = 2000;

/** The state directory, and the directory that is reserved for the next session. */
export interface HolderStorage {
  layout: Layout;
  /** Null where no directory could be reserved: the start then makes it. */
  reservedDir: ReservedDir | null;
}

/** Runs one session, from the request to its final record. */
export type RunSession = (channel: StartChannel, storage: HolderStorage) => Promise<"no_request" | "failed" | "ended">;

/**
 * Returns when no session can come any more. `becomeIdle` discards the signals for the previous
 * session.
 */
export async function holdSessions(layout: Layout, runSession: RunSession, becomeIdle: () => void): Promise<void> {
  const fd = moveToPrivate(REQUEST_FD); // not inherited by children
  closeQuietly(REPLY_FD);
  // Compacts after loading, so that long-lived objects of the session do not lie between garbage.
  Bun.gc(true);
  becomeIdle(); // installs the handlers: inside withDefaults() that would undo the default action
  const startChannel = socketStartChannel(fd);
  let previousOpen = Infinity;
  for (let sessions = 1; sessions <= MAX_SESSIONS; sessions++) {
    const { line, storage } = withDefaults([SIGINT, SIGTERM], () => {
      becomeIdle();
      const ready = { layout, reservedDir: reserveDir(layout) };
      if (sessions > 1) startChannel.free();
      return { line: readLine(fd), storage: ready };
    });
    // From here on a signal is for the session.
    const outcome = await runSession({ ...startChannel, request: () => parseRequest(line) }, storage);
    await new Promise(setImmediate); // work that the session deferred
    const open = openDescriptors();
    if (outcome !== "ended" || ownChildren()?.length !== 0 || open > previousOpen || !isSmall()) return;
    previousOpen = open;
  }
}

/** Infinity without /proc: then no second session may follow. */
function openDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return Infinity;
  }
}

/** A collection costs far less than a new process, and a session leaves about 100 KB of garbage. */
function isSmall(): boolean {
  if (ownKilobytes() <= MAX_OWN_KB) return true;
  Bun.gc(true);
  return ownKilobytes() <= MAX_OWN_KB;
}

function ownKilobytes(): number {
  return Number(/^RssAnon:\s*(\d+)/m.exec(readProc("/proc/self/status") ?? "")?.[1] ?? Infinity);
}

function parseRequest(line: string | null): StartRequest | null {
  return line === null ? null : (JSON.parse(line) as StartRequest);
}

/** Null on failure: the disk may no longer be full when the session starts. */
function reserveDir(layout: Layout): ReservedDir | null {
  try {
    return new ReservedDir(layout);
  } catch {
    return null;
  }
}

function socketStartChannel(to: number): StartChannel & { free(): void } {
  const send = messageSender(to);
  /** False once a message was cut off. */
  let isIntact = true;
  const sendReply = (message: object, patienceMs: number): void => {
    if (isIntact) isIntact = send(message, patienceMs);
  };
  return {
    sweeps: false,
    request: () => null,
    reply: (answer) => sendReply(answer, REPLY_MS),
    free: () => sendReply({ free: true } satisfies FreeNotice, REPLY_MS),
    ended: (final) => sendReply({ ended: final.session_id, final } satisfies EndNotice, 0),
  };
}
