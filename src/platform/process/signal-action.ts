/**
 * Signal dispositions by sigaction(2). glibc and musl share one layout of it on x86-64 and arm64.
 */
import { checked, libc } from "../native/libc.ts";

const SIGACTION_BYTES = 152;
const FLAGS_OFFSET = 136;
const SIG_DFL = 0;
const SIG_IGN = 1;

/** `handler` is an address, SIG_DFL or SIG_IGN. */
export function setActions(signals: readonly number[], handler: number, flags: number): void {
  const action = new Uint8Array(SIGACTION_BYTES);
  const view = new DataView(action.buffer);
  view.setBigUint64(0, BigInt(handler), true);
  view.setInt32(FLAGS_OFFSET, flags, true);
  const { sigaction } = libc();
  for (const signal of signals) checked(sigaction(signal, action, null), "sigaction", String(signal));
}

export function setDefault(signal: number): void {
  setActions([signal], SIG_DFL, 0);
}

export function ignoreSignal(signal: number): void {
  if (process.platform === "linux") setActions([signal], SIG_IGN, 0);
}

const current = new DataView(new ArrayBuffer(SIGACTION_BYTES));
const currentBytes = new Uint8Array(current.buffer);

export function isIgnoredSignal(signal: number): boolean {
  if (process.platform !== "linux" || libc().sigaction(signal, null, currentBytes) !== 0) return false;
  return current.getUint32(0, true) === SIG_IGN && current.getUint32(4, true) === 0;
}

/** True when libc reserves the signal for its threads: 32 and 33 in glibc, 34 as well in musl. */
export function isReservedSignal(signal: number): boolean {
  return process.platform === "linux" && libc().sigaction(signal, null, currentBytes) !== 0;
}

/** Runs `work` with the default disposition of `signals`, then restores their dispositions. */
export function withDefaults<T>(signals: readonly number[], work: () => T): T {
  if (process.platform !== "linux") return work();
  const before = signals.map((signal) => {
    const action = new Uint8Array(SIGACTION_BYTES);
    checked(libc().sigaction(signal, null, action), "sigaction", String(signal));
    return { signal, action };
  });
  setActions(signals, SIG_DFL, 0);
  try {
    return work();
  } finally {
    for (const { signal, action } of before)
      checked(libc().sigaction(signal, action, null), "sigaction", String(signal));
  }
}
