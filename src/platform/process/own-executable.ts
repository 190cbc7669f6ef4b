import { O_PATH } from "../native/constants.ts";
import { closerOf } from "../fs/descriptors.ts";
import { openSync } from "../fs/libc-fs.ts";
import { OWN_PATH } from "./own-command.ts";
import { fileStat, isSameFile, type Stat } from "../fs/stat.ts";

/** Whether the file that this process runs is still what its path names: an upgrade puts another there, and keeps the old one for who runs it. */
export type ExecutableState = "current" | "replaced" | "removed";

/** What we run stays the same file, whatever becomes of its name. */
let own: Stat | null = null;

export function executableState(): ExecutableState {
  if (process.platform !== "linux") return "current";
  try {
    own ??= openedStat("/proc/self/exe");
    return isSameFile(own, openedStat(OWN_PATH)) ? "current" : "replaced";
  } catch {
    return "removed"; // or a link that leads nowhere
  }
}

/** Of the file that open(2) leads to: under an emulator (qemu-user) that is its program, while stat(2) of the path gives the emulator. */
function openedStat(path: string): Stat {
  const fd = openSync(path, O_PATH);
  using _fd = { [Symbol.dispose]: closerOf(fd) };
  return fileStat(fd);
}
