import { errnoOf, type ErrorCode, HoltError } from "../../protocol/types/errors.ts";

const OUTSIDE: readonly [ErrorCode, string, string] = [
  "EDENIED",
  "leads out of its root",
  "name what it leads to, if that is below a root; an absolute symlink is not followed",
];

const MEANINGS: Readonly<Record<string, readonly [ErrorCode, string, string?]>> = {
  ENOENT: ["ENOTFOUND", ": there is no such file"],
  ENOTDIR: ["EBADARGS", "is not a directory, or lies below something that is none"],
  EEXIST: ["EEXISTS", "is there already", "name a file that is not, or remove it"],
  EISDIR: ["EBADARGS", "is a directory", "fs.list tells what is in it"],
  ENXIO: ["EBADARGS", "is not a regular file"],
  EINVAL: ["EBADARGS", "is not a regular file"],
  ENAMETOOLONG: ["EBADARGS", "is too long a name"],
  EXDEV: OUTSIDE,
  ELOOP: OUTSIDE,
  EACCES: ["EDENIED", "may not be opened by the daemon's user"],
  EPERM: ["EDENIED", "may not be opened by the daemon's user"],
  EROFS: ["EDENIED", "is on a read-only file system"],
};

/** Work with that file: what goes wrong is said about it. */
export function about<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fsError(error, path);
  }
}

/** What the system refused, about a file of the caller's and not of ours. */
function fsError(error: unknown, path: string): unknown {
  const errno = error instanceof HoltError ? null : errnoOf(error);
  if (errno === null) return error;
  const [code, what, hint] = MEANINGS[errno] ?? ["EIO", `cannot be read or written: ${errno}`];
  const said = what.startsWith(":") ? `${path}${what}` : `${path} ${what}`;
  return new HoltError(code, said, { ...(hint === undefined ? {} : { hint }), details: { path, errno } });
}
