/**
 * What on disk is holt's own. A caller who could write there would answer for the person, set the policy aside or be the next holt that is started;
 * one who could read there would see what others run. So none of it is served as a file, under any name: directories are known by device and inode.
 */
import { FORMATS } from "../config/config-file.ts";
import { configDirectory } from "../config/where.ts";
import { losslessBytes } from "../platform/lossless-text.ts";
import { isSameFile, pathStat, type Stat } from "../platform/stat.ts";
import { type Layout, sharedSocketDirectory } from "../transcript/layout.ts";
import { realPath } from "./rules.ts";

/** A file, there or not: what it is called in which directory. */
export interface Entry {
  directory: Stat;
  name: Uint8Array;
}

const DIRECTORIES = ["sessions", "run", "log", "approvals", "projects"];
const FILES = ["holt.db", "holt.db-wal", "holt.db-shm", "swept"];

export class OwnPlaces {
  readonly #layout: Layout;
  readonly #config = configDirectory();
  readonly #executable = process.execPath;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** `root`: of what serves it. Where our state stands in a directory for all kinds of things, and that is served, only what is ours in it is not. */
  isOwn(entry: Entry, lineage: readonly Stat[], root: readonly Stat[]): boolean {
    const state = statOrNone(this.#layout.root);
    if (isAmong(state, lineage) && !isAmong(state, root)) return true;
    if (this.#directories().some((directory) => isAmong(statOrNone(directory), lineage))) return true;
    return this.#files().some((path) => isEntry(entry, path));
  }

  #directories(): string[] {
    const below = DIRECTORIES.map((name) => `${this.#layout.root}/${name}`);
    return [...below, sharedSocketDirectory(), ...(this.#config === null ? [] : [this.#config])];
  }

  /** Directories among them: in the place of one that is not there yet nobody puts a file. */
  #files(): string[] {
    const ours = [...FILES, ...DIRECTORIES].map((name) => `${this.#layout.root}/${name}`);
    const config = this.#config;
    if (config === null) return [...ours, this.#executable];
    // Kept elsewhere and linked, as people do who have their settings in one place.
    const linked = FORMATS.flatMap((format) => realPath(losslessBytes(`${config}/config.${format}`)) ?? []);
    return [...ours, this.#executable, config, ...linked];
  }
}

export function isEntry({ directory, name }: Entry, path: string): boolean {
  const cut = path.lastIndexOf("/");
  if (Buffer.compare(name, losslessBytes(path.slice(cut + 1))) !== 0) return false;
  return isSameFile(directory, statOrNone(path.slice(0, Math.max(1, cut))));
}

export function isAmong(stat: Stat | null, lineage: readonly Stat[]): boolean {
  return stat !== null && lineage.some((each) => isSameFile(each, stat));
}

export function statOrNone(path: string): Stat | null {
  try {
    return pathStat(losslessBytes(path));
  } catch {
    return null;
  }
}
