/**
 * A session's place on disk, made before anybody has asked for the session, by a holder that waits for one: the directory with its lock and its empty
 * files, and a socket that listens already. It lies in run/, where no reader looks for sessions. To claim an id is to write the record and to
 * rename the directory into sessions/, which nobody can see half done.
 *
 * Its lock is the proof that its holder lives, as everywhere: a berth that nobody holds is what is left of one that was killed.
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

const PREFIX = "berth-";
const NAME = /^berth-[0-9a-f]{12}$/;
/** In an earlier version with the prefix. */
const SOCKET = /^(?:berth-)?([0-9a-f]{12})\.sock$/;

export class ReservedDir implements Disposable {
  readonly socket: BoundSocket | null;
  readonly #layout: Layout;
  readonly #name: string;
  readonly #dir: SessionDir;
  readonly #furnished: SessionFiles;
  readonly #meta: number;
  readonly #nextMeta: Draft;
  /** Of its record. */
  #length = 0;
  #isTaken = false;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#name = `${PREFIX}${crypto.randomUUID().slice(-12)}`;
    this.#dir = SessionDir.createInRun(layout, this.#name);
    let furnished: SessionFiles | null = null;
    let meta: number | null = null;
    try {
      this.#dir.lock();
      furnished = createSessionFiles(this.#dir);
      meta = this.#dir.openArtifact("meta.json", "create");
      put(meta, blankRecord());
      this.#nextMeta = new Draft(this.#dir.fd);
    } catch (error) {
      // On a full disk each that was tried would stay, and keep its blocks while it is open.
      if (furnished !== null) closeAll(furnished);
      if (meta !== null) closeQuietly(meta);
      removeReservedDir(layout, this.#name);
      this.#dir[Symbol.dispose]();
      throw error;
    }
    this.#furnished = furnished;
    this.#meta = meta;
    this.#nextMeta.reserve();
    this.socket = bound(socketOf(layout, this.#name));
  }

  /** Once. From then on the socket is the session's too. */
  take(id: string): OpenSession {
    this.#dir.setId(this.#layout, id);
    const announce = (meta: Meta): void => {
      this.#write(bytesOf(metaText(meta)));
      this.#cut();
    };
    return { ...this.#furnished, dir: this.#dir, nextMeta: this.#nextMeta, announce };
  }

  /** What nobody took is removed. */
  [Symbol.dispose](): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    closeAll(this.#furnished);
    this.#nextMeta[Symbol.dispose]();
    closeQuietly(this.#meta);
    if (this.socket !== null) unbind(this.socket);
    removeReservedDir(this.#layout, this.#name);
    this.#dir[Symbol.dispose]();
  }

  /** The record is whole before its directory has a name that anybody reads. */
  #write(bytes: Uint8Array): void {
    put(this.#meta, bytes);
    this.#length = bytes.length;
    this.#dir.claimId(this.#layout, this.#name);
    this.#isTaken = true;
    // A file that is replaced while it is open is cleared away with its last descriptor, when nobody waits for that any more.
    setImmediate(() => closeQuietly(this.#meta));
  }

  /** What is left of the blank record, which to readers is nothing; a disk that refuses that has the record all the same. */
  #cut(): void {
    try {
      if (this.#length < BLANK_BYTES) ftruncateSync(this.#meta, this.#length);
    } catch {
      // It ends with blank lines.
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

/** A berth whose holder was killed, and a socket that is neither a berth's nor that of a session anybody could find. Those of living holders stay. */
export function clearReservedDirs(layout: Layout): void {
  const names = entriesIn(layout.run);
  for (const name of names) if (NAME.test(name)) removeIfLeft(layout, name);
  const known = lazily(boundNames);
  for (const name of names) {
    const berth = SOCKET.exec(name)?.[1];
    const path = `${layout.run}/${name}`;
    // Sessions that live have such a socket, too: they need not be woken to see that.
    if (berth !== undefined && !names.includes(`${PREFIX}${berth}`) && !known().includes(path)) removeDeaf(path);
  }
}

/** As the kernel knows them, one to a line, those of this network namespace; nothing where it does not tell. */
function boundNames(): string {
  try {
    return textOf(readFileSync("/proc/net/unix"));
  } catch {
    return "";
  }
}

/** Under its lock: whoever is making it at this moment finds it gone, and does without. */
function removeIfLeft(layout: Layout, name: string): void {
  try {
    using dir = SessionDir.openInRun(layout, name);
    const lock = dir.openArtifact("append.lock", "create");
    try {
      if (tryLockExclusive(lock)) removeReservedDir(layout, name);
    } finally {
      closeQuietly(lock);
    }
  } catch {
    // Another sweep was faster, or it is not ours.
  }
}

function removeReservedDir(layout: Layout, name: string): void {
  const fd = openDirectory(layout.run);
  if (fd === null) return;
  try {
    unlinkIfThere(socketOf(layout, name)); // first: nobody would look for it without the berth
    removeTreeAt({ fd, path: layout.run }, name);
  } catch {
    // The next sweep tries again.
  } finally {
    closeQuietly(fd);
  }
}

/** The session that comes keeps it. */
function socketOf({ run }: Layout, name: string): string {
  return `${run}/${name.slice(PREFIX.length)}.sock`;
}

/** Whether a session may have had it from a berth. */
export function isReservedSocket({ run }: Layout, path: string): boolean {
  return path.startsWith(`${run}/`) && /^[0-9a-f]{12}\.sock$/.test(path.slice(run.length + 1));
}

function removeDeaf(path: string): void {
  try {
    const fd = dialOwn(path);
    if (fd === null) unlinkIfThere(path);
    else closeQuietly(fd);
  } catch {
    // Somebody is there.
  }
}

/** Null where its name would be too long, or it cannot be had: the session will see. */
function bound(path: string): BoundSocket | null {
  if (!fitsSocketAddress(path)) return null;
  try {
    return { fd: listenAt(path), path };
  } catch {
    return null;
  }
}
