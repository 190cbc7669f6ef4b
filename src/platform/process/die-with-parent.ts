import { libc } from "../native/libc.ts";

const SIGKILL = 9n;

/** For a process that would not notice, in the middle of its work, that nobody waits for it any more. */
export function dieWithParent(): void {
  const PR_SET_PDEATHSIG = 1;
  if (process.platform === "linux") libc().prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n);
}
