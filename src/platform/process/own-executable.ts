/** Detects whether an upgrade has replaced or removed the executable that this process runs. */
import { O_PATH } from "../native/constants.ts";
import { closerOf } from "../fs/descriptors.ts";
import { openSync } from "../fs/libc-fs.ts";
import { OWN_PATH } from "./own-command.ts";
import { fileStat, isSameFile, type Stat } from "../fs/stat.ts";

/** Compares the running file with the file now at its path. */
export type ExecutableState = "current" | "replaced" | "removed";

/** The running file. It stays the same file when its name is changed or removed. */
let own: Stat | null = null;

export function executableState(): ExecutableState {
  if (process.platform !== "linux") return "current";
  try {
    own ??= openedStat("/proc/self/exe");
    return isSameFile(own, openedStat(OWN_PATH)) ? "current" : "replaced";
  } catch {
    return "removed"; // or a dangling link
  }
}

/**
 * Stats by open(2): under qemu-user, stat(2) of the path describes the emulator, open(2) the
 * program.
 */
function openedStat(path: string): Stat {
  const fd = openSync(path, O_PATH);
  using _fd = { [Symbol.dispose]: closerOf(fd) };
  return fileStat(fd);
}
