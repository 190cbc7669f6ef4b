/** A thread that runs machine code. */
import { libc } from "./libc.ts";

/** It lives as long as the process. */
export function startThread(code: number, argument: number): void {
  const attributes = new Uint8Array(128);
  const thread = new BigUint64Array(1);
  const all = new Uint8Array(128).fill(255);
  const before = new Uint8Array(128);
  const SIG_SETMASK = 2;
  libc().pthread_attr_init(attributes);
  libc().pthread_attr_setdetachstate(attributes, 1);
  libc().pthread_attr_setstacksize(attributes, 65536n);
  // The thread inherits a full mask, so that every signal goes to a thread that Bun knows.
  libc().pthread_sigmask(SIG_SETMASK, all, before);
  const failed = libc().pthread_create(thread, attributes, code as never, argument as never);
  libc().pthread_sigmask(SIG_SETMASK, before, null);
  if (failed !== 0) throw new Error(`pthread_create failed (${failed})`);
}
