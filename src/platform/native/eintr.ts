/** Repeats a system call while a signal interrupts it (EINTR). */
import { lastErrno } from "./libc.ts";

export function signalSafe(call: () => number): number {
  for (;;) {
    const result = call();
    if (result >= 0 || lastErrno() !== "EINTR") return result;
  }
}
