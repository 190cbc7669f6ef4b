import { readFileSync } from "node:fs";

/** Of stream sockets, as the kernel lists them. */
const LISTED = { accepted: / 0001 03 /, waiting: / 0001 02 / };

/** How many are connected to the socket that was bound under this name. */
export function connectionsTo(path: string, which: keyof typeof LISTED): number {
  return readFileSync("/proc/net/unix", "latin1")
    .split("\n")
    .filter((line) => line.endsWith(` ${path}`) && LISTED[which].test(line)).length;
}
