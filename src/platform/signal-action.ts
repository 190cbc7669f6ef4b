/** sigaction(2): glibc and musl lay the structure out alike on x86-64 and arm64. */
import { checked, libc } from "./libc.ts";

const SIGACTION_BYTES = 152;
const FLAGS_OFFSET = 136;
const SIG_DFL = 0n;
const SIG_IGN = 1n;

export function setAction(signal: number, handler: bigint, flags: number): void {
  const action = new Uint8Array(SIGACTION_BYTES);
  const view = new DataView(action.buffer);
  view.setBigUint64(0, handler, true);
  view.setInt32(FLAGS_OFFSET, flags, true);
  checked(libc().sigaction(signal, action, null), "sigaction", String(signal));
}

export function setDefault(signal: number): void {
  setAction(signal, SIG_DFL, 0);
}

export function ignoreSignal(signal: number): void {
  if (process.platform === "linux") setAction(signal, SIG_IGN, 0);
}

export function isIgnoredSignal(signal: number): boolean {
  const current = new Uint8Array(SIGACTION_BYTES);
  if (process.platform !== "linux" || libc().sigaction(signal, null, current) !== 0) return false;
  return new DataView(current.buffer).getBigUint64(0, true) === SIG_IGN;
}
