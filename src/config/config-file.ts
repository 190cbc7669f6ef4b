/**
 * Finds and reads the configuration file. Several files are an error: their precedence would be a
 * guess.
 */
import { readFileSync } from "../platform/fs/libc-fs.ts";
import { entryStat, kindOf, pathStat } from "../platform/fs/stat.ts";
import { textOf } from "../protocol/types/bytes.ts";
import { errnoOf, HoltError } from "../protocol/types/errors.ts";
import { configDirectory, type Environment } from "./where.ts";

export const FORMATS = ["toml", "yaml", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** Far more than a hand-written file needs. */
const MAX_BYTES = 256 * 1024;

/** The default path. Null without a home directory. */
export function defaultPath(env: Environment): string | null {
  const directory = configDirectory(env);
  return directory === null ? null : `${directory}/config.toml`;
}

/** Null if there is no configuration file. */
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
  throw new HoltError("EBADARGS", `unknown configuration format: ${path}`, {
    hint: "the name must end in .toml, .yaml or .json",
  });
}

export function readConfigFile(path: string): string {
  try {
    const stat = pathStat(path);
    if (kindOf(stat) !== "file") throw new HoltError("EBADARGS", `not a file: ${path}`);
    if (stat.size > MAX_BYTES) throw new HoltError("EBADARGS", `configuration larger than ${MAX_BYTES} bytes: ${path}`);
    return textOf(readFileSync(path)).replace(/^\ufeff/, "");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof HoltError || errno === null) return error;
  return new HoltError("EBADARGS", `cannot read the configuration: ${path}: ${errno}`, { cause: error });
}

/**
 * A configuration directory that is a broken symlink is an error, as is a broken symlink to a file.
 */
function requireTarget(directory: string): void {
  try {
    const entry = entryStat(directory);
    if (entry !== null && kindOf(entry) === "symlink") pathStat(directory);
  } catch (error) {
    throw unreadable(directory, error);
  }
}

/** True for a broken symlink: its target was meant to be read, so reading it must fail. */
function isThere(path: string): boolean {
  try {
    return entryStat(path) !== null;
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return false;
    throw unreadable(path, error); // the directory cannot be searched, or is a symlink loop
  }
}
