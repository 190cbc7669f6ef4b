/**
 * What on disk is holt's own. A caller who could write there would answer for the person, set the policy aside or be the next holt that is started;
 * one who could read there would see what others run. So none of it is served as a file, under any name: directories are known by device and inode.
 * All of the state directory is ours, whatever lies in it: a list of names would lack the next file that holds a key.
 */
import { FORMATS } from "../../config/config-file.ts";
import { configDirectory } from "../../config/where.ts";
import { exists, readdirSync } from "../../platform/fs/libc-fs.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { entryStat, isSameFile, pathStat, type Stat } from "../../platform/fs/stat.ts";
import { type Layout, sharedSocketDirectory } from "../../transcript/layout.ts";
import { realPath } from "../policy/rules.ts";

/** A file, there or not: what it is called in which directory. */
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

  isOwn(entry: Entry, lineage: readonly Stat[]): boolean {
    const stats = this.#directories().map(statOrNone);
    if ([...stats, ...this.#entries()].some((stat) => isAmong(stat, lineage))) return true;
    return this.#files().some((path) => isEntry(entry, path));
  }

  #directories(): string[] {
    return [this.#layout.root, sharedSocketDirectory(), ...(this.#config === null ? [] : [this.#config])];
  }

  /** Mounted elsewhere as well, what lies in the state directory does not lie in it alone. A link there is ours, and what it leads to is not. */
  #entries(): (Stat | null)[] {
    const { root } = this.#layout;
    return exists(root) ? readdirSync(root).map((name) => entryStat(`${root}/${name}`)) : [];
  }

  /** Directories among them: in the place of one that is not there yet nobody puts a file. */
  #files(): string[] {
    const ours = [this.#layout.root, this.#executable];
    const config = this.#config;
    if (config === null) return ours;
    // Kept elsewhere and linked, as people do who have their settings in one place.
    const linked = FORMATS.flatMap((format) => realPath(losslessBytes(`${config}/config.${format}`)) ?? []);
    return [...ours, config, ...linked];
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
