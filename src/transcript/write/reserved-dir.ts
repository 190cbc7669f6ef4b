/**
 * A session directory that a warm holder creates in advance: with its lock, its empty files and a
 * listening socket. It lies in run/, where no reader looks for sessions. Claiming an id writes the
 * record and renames the directory into sessions/, which is atomic for readers.
 *
 * The lock proves that the holder lives; a reserved directory without a lock was left by a killed
 * holder.
 */
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openDirectory } from "../../platform/fs/files.ts";
import { ftruncateSync, entriesIn, readFileSync, unlinkIfThere, writeSync } from "../../platform/fs/libc-fs.ts";
import { lazily } from "../../platform/native/lazily.ts";
import { tryLockExclusive } from "../../platform/fs/lock.ts";
import { dialOwn } from "../../platform/sockets/own-connection.ts";
import { removeTreeAt } from "../../platform/fs/remove-tree.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import type { Meta } from "../../protocol/types/session.ts";
import { type BoundSocket, listenAt, unbind } from "../bound-socket.ts";
import { BLANK_BYTES, blankRecord, Draft } from "../draft.ts";
import { fitsSocketAddress, type Layout } from "../layout.ts";
import { type SessionFiles, createSessionFiles, type OpenSession } from "./open-session.ts";
import { metaText } from "../records.ts";
import { SessionDir } from "../session-dir.ts";

/** Name on disk. */
const PREFIX = "berth-";
const NAME = /^berth-[0-9a-f]{12}$/;
/** An earlier version put the prefix before the name of the socket too. */
const SOCKET = /^(?:berth-)?([0-9a-f]{12})\.sock$/;

export class ReservedDir implements Disposable {
  readonly socket: BoundSocket | null;
  readonly #layout: Layout;
  readonly #name: string;
  readonly #dir: SessionDir;
  readonly #files: SessionFiles;
  readonly #meta: number;
  readonly #nextMeta: Draft;
  /** Length of the written record. */
  #length = 0;
  #isTaken = false;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#name = `${PREFIX}${crypto.randomUUID().slice(-12)}`;
    this.#dir = SessionDir.createInRun(layout, this.#name);
    let files: SessionFiles | null = null;
    let meta: number | null = null;
    try {
      this.#dir.lock();
      files = createSessionFiles(this.#dir);
      meta = this.#dir.openArtifact("meta.json", "create");
      put(meta, blankRecord());
      this.#nextMeta = new Draft(this.#dir.fd);
    } catch (error) {
      // Clean up: on a full disk each failed try would keep its blocks.
      if (files !== null) closeAll(files);
      if (meta !== null) closeQuietly(meta);
      removeReservedDir(layout, this.#name);
      this.#dir[Symbol.dispose]();
      throw error;
    }
    this.#files = files;
    this.#meta = meta;
    this.#nextMeta.reserve();
    this.socket = bound(socketOf(layout, this.#name));
  }

  /** Gives the directory to a session; call once. The session keeps the socket. */
  take(id: string): OpenSession {
    this.#dir.setId(this.#layout, id);
    const announce = (meta: Meta): void => {
      this.#write(bytesOf(metaText(meta)));
      this.#cut();
    };
    return { ...this.#files, dir: this.#dir, nextMeta: this.#nextMeta, announce };
  }

  /** Removes an unused directory. */
  [Symbol.dispose](): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    closeAll(this.#files);
    this.#nextMeta[Symbol.dispose]();
    closeQuietly(this.#meta);
    if (this.socket !== null) unbind(this.socket);
    removeReservedDir(this.#layout, this.#name);
    this.#dir[Symbol.dispose]();
  }

  /** The record is complete before the directory gets a name that readers look for. */
  #write(bytes: Uint8Array): void {
    put(this.#meta, bytes);
    this.#length = bytes.length;
    this.#dir.claimId(this.#layout, this.#name);
    this.#isTaken = true;
    // Closing the last descriptor frees the replaced file, which takes time: after the start was
    // answered.
    setImmediate(() => closeQuietly(this.#meta));
  }

  /** Cuts the blank rest of the record. If the disk refuses, readers skip the blank lines. */
  #cut(): void {
    try {
      if (this.#length < BLANK_BYTES) ftruncateSync(this.#meta, this.#length);
    } catch {
      // The blank lines stay.
    }
  }
}

function put(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes.subarray(at), at);
}

function closeAll({ events, final, files }: SessionFiles): void {
  for (const opened of [events, final]) opened[Symbol.dispose]();
  [files.output, files.index].forEach(closeQuietly);
}

/**
 * Removes reserved directories of killed holders, and sockets that belong neither to a reserved
 * directory nor to a session. Those of living holders stay.
 */
export function clearReservedDirs(layout: Layout): void {
  const names = entriesIn(layout.run);
  for (const name of names) if (NAME.test(name)) removeIfAbandoned(layout, name);
  const known = lazily(boundNames);
  for (const name of names) {
    const reservedId = SOCKET.exec(name)?.[1];
    const path = `${layout.run}/${name}`;
    // Live sessions have such a socket too; the kernel's list shows that without waking their
    // holders.
    if (reservedId !== undefined && !names.includes(`${PREFIX}${reservedId}`) && !known().includes(path))
      removeIfDead(path);
  }
}

/**
 * Bound socket paths of this network namespace, one per line; empty if /proc does not have them.
 */
function boundNames(): string {
  try {
    return textOf(readFileSync("/proc/net/unix"));
  } catch {
    return "";
  }
}

/**
 * Takes the lock first: a holder that is just creating the directory finds it gone, and works
 * without one.
 */
function removeIfAbandoned(layout: Layout, name: string): void {
  try {
    using dir = SessionDir.openInRun(layout, name);
    const lock = dir.openArtifact("append.lock", "create");
    try {
      if (tryLockExclusive(lock)) removeReservedDir(layout, name);
    } finally {
      closeQuietly(lock);
    }
  } catch {
    // Another sweep was faster, or it belongs to another user.
  }
}

function removeReservedDir(layout: Layout, name: string): void {
  const fd = openDirectory(layout.run);
  if (fd === null) return;
  try {
    unlinkIfThere(socketOf(layout, name)); // first: without the directory no sweep would look for it
    removeTreeAt({ fd, path: layout.run }, name);
  } catch {
    // The next sweep tries again.
  } finally {
    closeQuietly(fd);
  }
}

/** The socket path, which the session keeps. */
function socketOf({ run }: Layout, name: string): string {
  return `${run}/${name.slice(PREFIX.length)}.sock`;
}

/** Whether a session's socket may come from a reserved directory. */
export function isReservedSocket({ run }: Layout, path: string): boolean {
  return path.startsWith(`${run}/`) && /^[0-9a-f]{12}\.sock$/.test(path.slice(run.length + 1));
}

function removeIfDead(path: string): void {
  try {
    const fd = dialOwn(path);
    if (fd === null) unlinkIfThere(path);
    else closeQuietly(fd);
  } catch {
    // The socket has a listener.
  }
}

/** Null if the path is too long or the bind fails: the session binds its own socket then. */
function bound(path: string): BoundSocket | null {
  if (!fitsSocketAddress(path)) return null;
  try {
    return { fd: listenAt(path), path };
  } catch {
    return null;
  }
}
