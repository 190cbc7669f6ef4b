/**
 * Loads the machine code of native/threads.c: a thread that sleeps in poll(2), and a signal handler
 * that keeps the siginfo (docs/adr/0003). JavaScript can run neither.
 */
import { type Pointer, toArrayBuffer } from "bun:ffi";
import { libc, SystemError } from "./libc.ts";
import { THREADS } from "./threads-code.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const PROT_EXEC = 4;
const MAP_PRIVATE_ANONYMOUS = process.platform === "darwin" ? 0x1002 : 0x22;
const PAGE = 4096;

export interface MachineCode {
  /** The address of the thread's function; its argument is a poll_page. */
  pollThread: number;
  /** The address of a new handler(signo, siginfo, context) that writes the siginfo to `pipe`. */
  signalHandler(pipe: number): number;
}

let loaded: MachineCode | null | undefined;

/**
 * Null without code for this platform, or where written memory may not be executed. Callers fall
 * back to Bun.
 */
export function machineCode(): MachineCode | null {
  if (loaded === undefined) loaded = load();
  return loaded;
}

function load(): MachineCode | null {
  if (process.platform !== "linux" || process.env["HOLT_NO_NATIVE"] === "1") return null;
  if (process.arch !== "x64" && process.arch !== "arm64") return null;
  const { code, poll_thread, on_signal, signal_pipe } = THREADS[process.arch];
  const bytes = Uint8Array.fromBase64(code);
  try {
    return {
      pollThread: mapCode(bytes) + poll_thread,
      signalHandler(pipe) {
        new DataView(bytes.buffer).setInt32(signal_pipe, pipe, true);
        return mapCode(bytes) + on_signal;
      },
    };
  } catch {
    return null;
  }
}

/**
 * Copies code to executable memory, never freed: a thread or the kernel may enter it at any time.
 */
function mapCode(bytes: Uint8Array): number {
  const page = mapMemory();
  new Uint8Array(toArrayBuffer(page, 0, PAGE)).set(bytes);
  if (libc().mprotect(page, BigInt(PAGE), PROT_READ | PROT_EXEC) !== 0) throw new SystemError("mprotect", "EACCES");
  return Number(page);
}

/** Zeroed memory outside the garbage collector. Uses RAM only where it is written to. */
export function mapMemory(length = PAGE): Pointer {
  const page = libc().mmap(null, BigInt(length), PROT_READ | PROT_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  if (page === null || Number(page) === -1) throw new SystemError("mmap", "ENOMEM");
  return Number(page) as Pointer;
}
