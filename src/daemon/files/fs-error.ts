/** Translates system errors on a caller's file into errors of the API. */
import { errnoOf, type ErrorCode, HoltError } from "../../protocol/types/errors.ts";

const OUTSIDE: readonly [ErrorCode, string, string] = [
  "EDENIED",
  "leads outside its root",
  "pass the symlink's target if it is below a root; absolute symlinks are not followed",
];

const MEANINGS: Readonly<Record<string, readonly [ErrorCode, string, string?]>> = {
  ENOENT: ["ENOTFOUND", ": no such file"],
  ENOTDIR: ["EBADARGS", "is not a directory, or has a parent that is not one"],
  EEXIST: ["EEXISTS", "already exists", "choose another name, or remove the file"],
  EISDIR: ["EBADARGS", "is a directory", "list it with fs.list"],
  ENXIO: ["EBADARGS", "is not a regular file"],
  EINVAL: ["EBADARGS", "is not a regular file"],
  ENAMETOOLONG: ["EBADARGS", "is too long"],
  EXDEV: OUTSIDE,
  ELOOP: OUTSIDE,
  EACCES: ["EDENIED", "cannot be opened by the daemon's user"],
  EPERM: ["EDENIED", "cannot be opened by the daemon's user"],
  EROFS: ["EDENIED", "is on a read-only file system"],
};

/** Runs `work` and reports its errors as errors about that file. */
export function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fsError(error, path);
  }
}

/** The error for a system call that failed on a caller's file. */
function fsError(error: unknown, path: string): unknown {
  const errno = error instanceof HoltError ? null : errnoOf(error);
  if (errno === null) return error;
  const [code, what, hint] = MEANINGS[errno] ?? ["EIO", `cannot be read or written: ${errno}`];
  const message = what.startsWith(":") ? `${path}${what}` : `${path} ${what}`;
  return new HoltError(code, message, { ...(hint === undefined ? {} : { hint }), details: { path, errno } });
}
