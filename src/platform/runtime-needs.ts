/**
 * Checks the resources that the runtime needs. It starts threads at any time (to compile, to
 * collect); when the system refuses one, or the stack overflows, it prints a crash report and
 * aborts. So commands check first, before the runtime has started any thread.
 */
import type { Pointer } from "bun:ffi";
import { HoltError } from "../protocol/types/errors.ts";
import { libc } from "./native/libc.ts";
import { mapMemory } from "./native/machine-code.ts";

/**
 * More threads than any command has: collector, compilers, memory scavenger, the holder's poll
 * thread.
 */
const THREADS = 8;
const THREAD_STACK_BYTES = 65536n;
const RLIMIT_STACK = 3;
/** holt's own calls overflow the stack below 160 KiB; the rest is for the calls below them. */
const STACK_BYTES = 256n * 1024n;

export function checkRuntimeNeeds(): void {
  if (process.platform !== "linux") return;
  const [stack = 0n] = stackLimits();
  if (stack < STACK_BYTES)
    throw new HoltError("ERLIMIT", `the stack limit is too low: ${stack} bytes, and holt needs ${STACK_BYTES}`, {
      hint: "raise the limit: `ulimit -s 8192`",
    });
  if (!canStartThreads(THREADS)) throw outOfProcesses();
}

export function outOfProcesses(cause?: unknown): HoltError {
  return new HoltError("ERLIMIT", "the system allows no more processes or threads", {
    hint: "end some processes, or raise the limit: `ulimit -u` shows it; in a container it is pids.max",
    cause,
  });
}

function stackLimits(): BigUint64Array {
  const both = new BigUint64Array(2);
  libc().getrlimit(RLIMIT_STACK, both);
  return both;
}

/** The address of an FFI function. The runtime's types lack `ptr`. */
function functionAddress(linked: object): never {
  return (linked as { ptr: Pointer }).ptr as never;
}

/**
 * Starts `count` threads at the same time, each waiting in sem_wait(3). Only the kernel knows the
 * effective limit (user, cgroup, machine).
 */
function canStartThreads(count: number): boolean {
  const { pthread_attr_init, pthread_attr_setstacksize, pthread_create, pthread_join, sem_post, sem_wait } = libc();
  const attributes = new Uint8Array(128);
  pthread_attr_init(attributes);
  pthread_attr_setstacksize(attributes, THREAD_STACK_BYTES);
  const semaphore = mapMemory();
  const thread = new BigUint64Array(1);
  const started: bigint[] = [];
  while (started.length < count && pthread_create(thread, attributes, functionAddress(sem_wait), semaphore) === 0)
    started.push(thread[0] ?? 0n);
  for (const _ of started) sem_post(semaphore);
  for (const id of started) pthread_join(id, null);
  return started.length === count;
}
