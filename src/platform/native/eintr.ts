import { lastErrno } from "./libc.ts";

/** Calls again what a signal interrupted. */
export function signalSafe(call: () => number): number {
  for (;;) {
    const result = call();
    if (result >= 0 || lastErrno() !== "EINTR") return result;
  }
}
