/** Handlers of fs.read_file, fs.write_file and fs.list. */
import { fileConstants } from "../../platform/native/constants.ts";
import { namesIn } from "../../platform/fs/directory-entries.ts";
import { readSync } from "../../platform/fs/libc-fs.ts";
import { SystemError } from "../../platform/native/libc.ts";
import { losslessText } from "../../platform/fs/lossless-text.ts";
import { replaceFileAt } from "../../platform/fs/replace-file.ts";
import { entryStatAt, fileStat, kindOf, type Stat } from "../../platform/fs/stat.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_WRITE_BYTES } from "../../protocol/methods/rows/fs.schema.ts";
import type { Result } from "../../protocol/methods/table.schema.ts";
import { withFileErrors } from "../files/fs-error.ts";
import type { Handler } from "./handlers.ts";

const { O_DIRECTORY, O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
/** Opening must not block on a FIFO or acquire a controlling terminal. */
const READING = O_RDONLY | O_NONBLOCK | O_NOCTTY;
const PERMISSIONS = 0o777;
const TYPES: Readonly<Partial<Record<ReturnType<typeof kindOf>, "file" | "dir" | "link">>> = {
  file: "file",
  directory: "dir",
  symlink: "link",
};

export const readFile: Handler<"fs.read_file"> = ({ path, offset, max_bytes }, { daemon: { files } }) =>
  withFileErrors(path, () =>
    files.read(path, READING, (fd) => {
      const stat = fileStat(fd);
      if (kindOf(stat) === "directory") throw new SystemError("read", "EISDIR");
      if (kindOf(stat) !== "file") throw new SystemError("read", "EINVAL");
      const bytes = range(fd, offset, max_bytes);
      // A growing file, or one of /proc, may hold more than its stat says.
      const size = Math.max(fileStat(fd).size, bytes.length === 0 ? 0 : offset + bytes.length);
      const truncated = offset + bytes.length < size;
      return { data: bytes.toBase64(), size, offset, truncated, mode: octal(stat) };
    }),
  );

export const writeFile: Handler<"fs.write_file"> = ({ path, data, mode }, { daemon: { files } }) => {
  const bytes = Uint8Array.fromBase64(data);
  if (bytes.length > MAX_WRITE_BYTES)
    throw new HoltError("EBADARGS", `the data is too long: ${bytes.length} bytes`, {
      hint: `at most ${MAX_WRITE_BYTES}; \`exec.run\` with stdin can write more, in parts`,
    });
  return withFileErrors(path, () => {
    using location = files.locate(path);
    const permissions = mode === undefined ? null : Number.parseInt(mode, 8);
    replaceFileAt(location.directory, location.name, bytes, permissions);
    return { bytes: bytes.length };
  });
};

export const list: Handler<"fs.list"> = ({ path, offset, limit }, { daemon: { files } }) =>
  withFileErrors(path, () =>
    files.read(path, O_RDONLY | O_DIRECTORY, (fd) => {
      const names = namesIn(fd).toSorted((a, b) => Buffer.compare(a, b));
      const entries = names.slice(offset, offset + limit).flatMap((name) => entryOf(fd, name));
      return { entries, total_count: names.length, truncated: offset + limit < names.length };
    }),
  );

function range(fd: number, offset: number, maxBytes: number): Uint8Array {
  const maxLength = Math.min(maxBytes, Math.max(4096, fileStat(fd).size - offset));
  const bytes = new Uint8Array(maxLength);
  let length = 0;
  while (length < maxLength) {
    const read = readSync(fd, bytes.subarray(length), offset + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** Empty if the entry was removed meanwhile. */
function entryOf(directory: number, name: Uint8Array): Result<"fs.list">["entries"] {
  const stat = entryStatAt(directory, name);
  if (stat === null) return [];
  return [{ name: losslessText(name), type: TYPES[kindOf(stat)] ?? "other", mode: octal(stat), size: stat.size }];
}

function octal({ mode }: Stat): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, "0");
}
