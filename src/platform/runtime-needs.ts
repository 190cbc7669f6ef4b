/**
 * Checks resources that the runtime cannot go on without. It starts threads whenever it likes (to compile, to collect), and where the system refuses one, or
 * the stack ends, it prints a crash report and aborts. So a command that a person typed looks first, before the runtime has started any.
 */
import type { Pointer } from "bun:ffi";
import { HoltError } from "../protocol/types/errors.ts";
import { libc } from "./native/libc.ts";
import { mapMemory } from "./native/machine-code.ts";

/** More than it has in any command: those that collect, compile and give back memory, and the holder's poll thread. */
const THREADS = 8;
const THREAD_STACK_BYTES = 65536n;
const RLIMIT_STACK = 3;
/** Below 160 KiB calls of ours overflow it; the rest is for what they call. */
const STACK_BYTES = 256n * 1024n;

/** Throws an error that says what is missing. */
export function checkRuntimeNeeds(): void {
  if (process.platform !== "linux") return;
  const [stack = 0n] = stackLimits();
  if (stack < STACK_BYTES)
    throw new HoltError("ERLIMIT", `the stack may have ${stack} bytes, and holt needs ${STACK_BYTES}`, {
      hint: "raise the limit: `ulimit -s 8192`",
    });
  if (!canStartThreads(THREADS)) throw outOfProcesses();
}

export function outOfProcesses(cause?: unknown): HoltError {
  return new HoltError("ERLIMIT", "the system allows no more processes or threads", {
    hint: "end some, or raise the limit: `ulimit -u` shows it; in a container it is pids.max",
    cause,
  });
}

function stackLimits(): BigUint64Array {
  const both = new BigUint64Array(2);
  libc().getrlimit(RLIMIT_STACK, both);
  return both;
}

/** The runtime's type of a linked function leaves it out. */
function addressOf(linked: object): never {
  return (linked as { ptr: Pointer }).ptr as never;
}

/** All at once, each in sem_wait(3) until the last one is there: what limits them (user, cgroup, machine) is the kernel's to know. */
function canStartThreads(count: number): boolean {
  const { pthread_attr_init, pthread_attr_setstacksize, pthread_create, pthread_join, sem_post, sem_wait } = libc();
  const attributes = new Uint8Array(128);
  pthread_attr_init(attributes);
  pthread_attr_setstacksize(attributes, THREAD_STACK_BYTES);
  const semaphore = mapMemory();
  const thread = new BigUint64Array(1);
  const started: bigint[] = [];
  while (started.length < count && pthread_create(thread, attributes, addressOf(sem_wait), semaphore) === 0)
    started.push(thread[0] ?? 0n);
  for (const _ of started) sem_post(semaphore);
  for (const id of started) pthread_join(id, null);
  return started.length === count;
}
