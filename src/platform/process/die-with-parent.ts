/** Ends this process when its parent dies, even in the middle of blocking work. */
import { libc } from "../native/libc.ts";

const SIGKILL = 9n;

export function dieWithParent(): void {
  const PR_SET_PDEATHSIG = 1;
  if (process.platform === "linux") libc().prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n);
}
