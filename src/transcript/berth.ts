/**
 * A session's place on disk, made before anybody has asked for the session, by a holder that waits for one: the directory with its lock and its empty
 * files, and a socket that listens already. It lies in run/, where no reader looks for sessions. To claim an id is to write the record and to
 * rename the directory into sessions/, which nobody can see half done.
 *
 * Its lock is the proof that its holder lives, as everywhere: a berth that nobody holds is what is left of one that was killed.
 */
import { closeQuietly } from "../platform/descriptors.ts";
import { openDirectory, withPrivateUmask } from "../platform/files.ts";
import { readdirSync, unlinkIfThere, writeSync } from "../platform/fs.ts";
import { tryLockExclusive } from "../platform/lock.ts";
import { removeTreeAt } from "../platform/remove-tree.ts";
import { dialUnix, listenUnix } from "../platform/unix-socket.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { metaText } from "../protocol/new-meta.ts";
import { type BoundSocket, unbind } from "./bound-socket.ts";
import { Draft } from "./draft.ts";
import { fitsSocketAddress, type Layout } from "./layout.ts";
import { type Furnished, furnish, type Place } from "./place.ts";
import { SessionDir } from "./session-dir.ts";

const NAME = /^berth-[0-9a-f]{12}$/;
const SOCKET_NAME = /^(berth-[0-9a-f]{12})\.sock$/;

export class Berth implements Disposable {
  readonly socket: BoundSocket | null;
  readonly #layout: Layout;
  readonly #name: string;
  readonly #dir: SessionDir;
  readonly #furnished: Furnished;
  readonly #meta: number;
  readonly #nextMeta: Draft;
  #isTaken = false;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#name = `berth-${crypto.randomUUID().slice(-12)}`;
    this.#dir = SessionDir.createInRun(layout, this.#name);
    try {
      this.#dir.lock();
      this.#furnished = furnish(this.#dir);
      this.#meta = this.#dir.openArtifact("meta.json", "create");
      this.#nextMeta = new Draft(this.#dir.fd);
    } catch (error) {
      removeBerth(layout, this.#name); // on a full disk each that was tried would stay
      this.#dir[Symbol.dispose]();
      throw error;
    }
    this.socket = bound(`${layout.run}/${this.#name}.sock`);
  }

  /** Once. From then on the socket is the session's too. */
  take(id: string): Place {
    this.#dir.nameAs(this.#layout, id);
    return {
      ...this.#furnished,
      dir: this.#dir,
      nextMeta: this.#nextMeta,
      announce: (meta) => this.#write(bytesOf(metaText(meta))),
    };
  }

  /** The same with its record, which is written and claims the id: EEXISTS when that is somebody else's. */
  begin(id: string, record: Uint8Array): Place {
    const place = this.take(id);
    this.#write(record);
    return { ...place, announce() {} };
  }

  /** What nobody took is removed. */
  [Symbol.dispose](): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const { events, final, files } = this.#furnished;
    for (const opened of [events, final, this.#nextMeta]) opened[Symbol.dispose]();
    [files.output, files.index, this.#meta].forEach(closeQuietly);
    if (this.socket !== null) unbind(this.socket);
    removeBerth(this.#layout, this.#name);
    this.#dir[Symbol.dispose]();
  }

  /** The record is whole before its directory has a name that anybody reads. */
  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#meta, bytes.subarray(at), at);
    this.#dir.moveIn(this.#layout, this.#name);
    this.#isTaken = true;
    // A file that is replaced while it is open is cleared away with its last descriptor, when nobody waits for that any more.
    setImmediate(() => closeQuietly(this.#meta));
  }
}

/** A berth whose holder was killed, and a socket that one left between two names. Those of living holders stay. */
export function clearBerths(layout: Layout): void {
  const names = namesIn(layout.run);
  for (const name of names) if (NAME.test(name)) removeIfLeft(layout, name);
  for (const name of names) {
    const berth = SOCKET_NAME.exec(name)?.[1];
    if (berth !== undefined && !names.includes(berth)) removeDeaf(`${layout.run}/${name}`);
  }
}

/** Under its lock: whoever is making it at this moment finds it gone, and does without. */
function removeIfLeft(layout: Layout, name: string): void {
  try {
    using dir = SessionDir.openInRun(layout, name);
    const lock = dir.openArtifact("append.lock", "create");
    try {
      if (tryLockExclusive(lock)) removeBerth(layout, name);
    } finally {
      closeQuietly(lock);
    }
  } catch {
    // Another sweep was faster, or it is not ours.
  }
}

function removeBerth(layout: Layout, name: string): void {
  const fd = openDirectory(layout.run);
  if (fd === null) return;
  try {
    removeTreeAt({ fd, path: layout.run }, name);
    unlinkIfThere(`${layout.run}/${name}.sock`);
  } catch {
    // The next sweep tries again.
  } finally {
    closeQuietly(fd);
  }
}

function removeDeaf(path: string): void {
  try {
    const fd = dialUnix(path);
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
    return { fd: withPrivateUmask(() => listenUnix(path)), path };
  } catch {
    return null;
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
