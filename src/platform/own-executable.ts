import { isSameFile, pathStat, type Stat } from "./stat.ts";

/** Whether the file that this process runs is still what its path names: an upgrade puts another there, and keeps the old one for who runs it. */
export type ExecutableState = "current" | "replaced" | "removed";

/** As it was when we were started. */
const PATH = process.execPath;
/** What we run stays the same file, whatever becomes of its name. */
let own: Stat | null = null;

export function executableState(): ExecutableState {
  if (process.platform !== "linux") return "current";
  try {
    own ??= pathStat("/proc/self/exe");
    return isSameFile(own, pathStat(PATH)) ? "current" : "replaced";
  } catch {
    return "removed"; // or a link that leads nowhere
  }
}
