/** The one configuration file. Two at once are refused: nobody should have to guess which one counts. */
import { readFileSync } from "../platform/fs/libc-fs.ts";
import { entryStat, kindOf, pathStat } from "../platform/fs/stat.ts";
import { textOf } from "../protocol/types/bytes.ts";
import { errnoOf, HoltError } from "../protocol/types/errors.ts";
import { configDirectory, type Environment } from "./where.ts";

export const FORMATS = ["toml", "yaml", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** Nobody writes that much by hand. */
const MAX_BYTES = 256 * 1024;

/** Where one is looked for first. Null where nobody has a home. */
export function usualPath(env: Environment): string | null {
  const directory = configDirectory(env);
  return directory === null ? null : `${directory}/config.toml`;
}

/** Null when there is none. */
export function findConfigFile(env: Environment): string | null {
  const directory = configDirectory(env);
  if (directory === null) return null;
  const found = FORMATS.map((format) => `${directory}/config.${format}`).filter(isThere);
  if (found.length > 1)
    throw new HoltError("EBADARGS", `there are ${found.length} configuration files: ${found.join(", ")}`, {
      hint: "keep one of them",
    });
  if (found.length === 0) requireTarget(directory);
  return found[0] ?? null;
}

export function formatOf(path: string): Format {
  const format = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (format === "yml") return "yaml";
  const known = FORMATS.find((each) => each === format);
  if (known !== undefined) return known;
  throw new HoltError("EBADARGS", `${path}: its name says no format`, { hint: "it ends in .toml, .yaml or .json" });
}

export function readConfigFile(path: string): string {
  try {
    const stat = pathStat(path);
    if (kindOf(stat) !== "file") throw new HoltError("EBADARGS", `${path} is not a file`);
    if (stat.size > MAX_BYTES) throw new HoltError("EBADARGS", `${path} is larger than ${MAX_BYTES} bytes`);
    return textOf(readFileSync(path)).replace(/^\ufeff/, "");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof HoltError || errno === null) return error;
  return new HoltError("EBADARGS", `cannot read the configuration ${path}: ${errno}`, { cause: error });
}

/** As with a file: who keeps what they configure elsewhere links to it, and often to all of it at once. */
function requireTarget(directory: string): void {
  try {
    const entry = entryStat(directory);
    if (entry !== null && kindOf(entry) === "symlink") pathStat(directory);
  } catch (error) {
    throw unreadable(directory, error);
  }
}

/** A link that leads nowhere is there: what it led to was meant to count. */
function isThere(path: string): boolean {
  try {
    return entryStat(path) !== null;
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return false;
    throw unreadable(path, error); // a directory that may not be entered, or leads in a circle, is not three files
  }
}
