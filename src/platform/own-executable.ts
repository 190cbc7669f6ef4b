import { entryStat, isSameFile, pathStat } from "./stat.ts";

/** Whether the file that this process runs is still what its path names: an upgrade puts another there, and keeps the old one for who runs it. */
export type ExecutableState = "current" | "replaced" | "removed";

/** As it was when we were started. */
const PATH = process.execPath;

export function executableState(): ExecutableState {
  if (process.platform !== "linux") return "current";
  if (entryStat(PATH) === null) return "removed";
  try {
    return isSameFile(pathStat("/proc/self/exe"), pathStat(PATH)) ? "current" : "replaced";
  } catch {
    return "removed"; // this moment, or a link that leads nowhere
  }
}
