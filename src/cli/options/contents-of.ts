/** Reads the file that an option names. */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openSync, readToEnd } from "../../platform/fs/libc-fs.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";

const STDIN = 0;

/** Path "-" is stdin. */
export function contentsOf(path: string, hint: string): Uint8Array {
  let fd: number | null = null;
  try {
    if (path === "-") return readToEnd(STDIN);
    fd = openSync(losslessBytes(path), fileConstants.O_RDONLY);
    return readToEnd(fd);
  } catch (error) {
    throw new HoltError("EBADARGS", `cannot read file: ${JSON.stringify(path)}: ${errnoOf(error) ?? String(error)}`, {
      hint,
    });
  } finally {
    if (fd !== null) closeQuietly(fd);
  }
}
