/**
 * Recognises holt's own files, which are never served.
 *
 * A caller who could write them could approve its own calls, disable the policy or replace the next
 * holt; one who could read them would see other callers' sessions. Directories are compared by
 * device and inode, so no other name reaches them. Everything in the state directory counts: a list
 * of names would miss the next key file.
 */
import { FORMATS } from "../../config/config-file.ts";
import { configDirectory } from "../../config/where.ts";
import { exists, readdirSync } from "../../platform/fs/libc-fs.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { entryStat, isSameFile, pathStat, type Stat } from "../../platform/fs/stat.ts";
import { type Layout, sharedSocketDirectory } from "../../transcript/layout.ts";
import { realPath } from "../policy/rules.ts";

/** A file name in a directory; the file need not exist. */
export interface Entry {
  directory: Stat;
  name: Uint8Array;
}

export class OwnPaths {
  readonly #layout: Layout;
  readonly #config = configDirectory();
  readonly #executable = process.execPath;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  isOwn(entry: Entry, ancestors: readonly Stat[]): boolean {
    const stats = this.#directories().map(statOrNone);
    if ([...stats, ...this.#entries()].some((stat) => isAmong(stat, ancestors))) return true;
    return this.#files().some((path) => isEntry(entry, path));
  }

  #directories(): string[] {
    return [this.#layout.root, sharedSocketDirectory(), ...(this.#config === null ? [] : [this.#config])];
  }

  /**
   * Entries of the state directory count on their own, as they may also be mounted elsewhere. A
   * symlink among them counts, its target does not.
   */
  #entries(): (Stat | null)[] {
    const { root } = this.#layout;
    return exists(root) ? readdirSync(root).map((name) => entryStat(`${root}/${name}`)) : [];
  }

  /** Paths that may not exist yet, directories included: no file may be put in their place. */
  #files(): string[] {
    const ours = [this.#layout.root, this.#executable];
    const config = this.#config;
    if (config === null) return ours;
    // Configuration files may be symlinks to another directory.
    const linked = FORMATS.flatMap((format) => realPath(losslessBytes(`${config}/config.${format}`)) ?? []);
    return [...ours, config, ...linked];
  }
}

export function isEntry({ directory, name }: Entry, path: string): boolean {
  const cut = path.lastIndexOf("/");
  if (Buffer.compare(name, losslessBytes(path.slice(cut + 1))) !== 0) return false;
  return isSameFile(directory, statOrNone(path.slice(0, Math.max(1, cut))));
}

export function isAmong(stat: Stat | null, ancestors: readonly Stat[]): boolean {
  return stat !== null && ancestors.some((each) => isSameFile(each, stat));
}

export function statOrNone(path: string): Stat | null {
  try {
    return pathStat(losslessBytes(path));
  } catch {
    return null;
  }
}
