/**
 * The two pieces of code that JavaScript cannot run: a thread that sleeps in poll(2), and a signal handler that keeps
 * the siginfo. Both are a handful of system calls without any libc, so they are written down as the bytes that an
 * assembler makes of the listing beside them (docs/adr/0003). Beside them there are the leader (leader-program.ts), and two threads that
 * spare a key a turn of the loop (key-thread.ts, relay-thread.ts): anything else that can be TypeScript is TypeScript.
 */
import { type Pointer, toArrayBuffer } from "bun:ffi";
import { libc, SystemError } from "./libc.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const PROT_EXEC = 4;
const MAP_PRIVATE_ANONYMOUS = process.platform === "darwin" ? 0x1002 : 0x22;
const PAGE = 4096;

interface Code {
  /** Thread body; its argument points at the pollfds, with `count` at -8, `ack` at -12, `wake` at -16, scratch at -32. */
  pollLoop: string;
  /** Handler(signo, siginfo, context): write(fd, siginfo, 128). `fd` is patched in. */
  signalHandler: (fd: number) => string;
}

const X64: Code = {
  pollLoop: `
    48 89 fb                   mov  rbx, rdi
    b8 07 00 00 00         1:  mov  eax, 7            poll(pollfds, count, -1)
    48 89 df                   mov  rdi, rbx
    8b 73 f8                   mov  esi, [rbx-8]
    48 c7 c2 ff ff ff ff       mov  rdx, -1
    0f 05                      syscall
    b8 01 00 00 00             mov  eax, 1            write(wake, scratch, 8)
    8b 7b f0                   mov  edi, [rbx-16]
    48 8d 73 e0                lea  rsi, [rbx-32]
    ba 08 00 00 00             mov  edx, 8
    0f 05                      syscall
    31 c0                      xor  eax, eax          read(ack, scratch, 8)
    8b 7b f4                   mov  edi, [rbx-12]
    48 8d 73 e8                lea  rsi, [rbx-24]
    ba 08 00 00 00             mov  edx, 8
    0f 05                      syscall
    eb c7                      jmp  1b`,
  signalHandler: (fd) => `
    bf ${littleEndian(fd)}     mov  edi, fd           write(fd, siginfo, 128)
    ba 80 00 00 00             mov  edx, 128
    b8 01 00 00 00             mov  eax, 1
    0f 05                      syscall
    c3                         ret`,
};

const ARM64: Code = {
  pollLoop: `
    f3 03 00 aa                mov  x19, x0
    e0 03 13 aa            1:  mov  x0, x19           ppoll(pollfds, count, 0, 0, 8)
    61 82 5f b8                ldur w1, [x19, #-8]
    02 00 80 d2                mov  x2, #0
    03 00 80 d2                mov  x3, #0
    04 01 80 d2                mov  x4, #8
    28 09 80 d2                mov  x8, #73
    01 00 00 d4                svc  #0
    60 02 5f b8                ldur w0, [x19, #-16]   write(wake, scratch, 8)
    61 82 00 d1                sub  x1, x19, #32
    02 01 80 d2                mov  x2, #8
    08 08 80 d2                mov  x8, #64
    01 00 00 d4                svc  #0
    60 42 5f b8                ldur w0, [x19, #-12]   read(ack, scratch, 8)
    61 62 00 d1                sub  x1, x19, #24
    02 01 80 d2                mov  x2, #8
    e8 07 80 d2                mov  x8, #63
    01 00 00 d4                svc  #0
    ef ff ff 17                b    1b`,
  signalHandler: (fd) => `
    ${littleEndian(0x52800000 | (fd << 5))}  movz w0, #fd           write(fd, siginfo, 128)
    02 10 80 d2                mov  x2, #128
    08 08 80 d2                mov  x8, #64
    01 00 00 d4                svc  #0
    c0 03 5f d6                ret`,
};

let known: Code | null | undefined;

/** Null where there is none, or where the system lets nobody execute what he wrote; callers then use what Bun offers. */
export function machineCode(): Code | null {
  if (known === undefined) known = canExecute() ? codeOfThisMachine() : null;
  return known;
}

function codeOfThisMachine(): Code | null {
  if (process.platform !== "linux" || process.env["HOLT_NO_NATIVE"] === "1") return null;
  return process.arch === "x64" ? X64 : process.arch === "arm64" ? ARM64 : null;
}

function canExecute(): boolean {
  if (codeOfThisMachine() === null) return false;
  try {
    assemble("");
    return true;
  } catch {
    return false;
  }
}

/** Executable memory with the listing's bytes. It is never freed: a thread or the kernel may enter it at any time. */
export function assemble(listing: string): Pointer {
  const bytes: number[] = [];
  for (const line of listing.split("\n")) addBytes(bytes, line);
  return mapCode(Uint8Array.from(bytes));
}

/** The same of bytes, a page of them at most. */
export function mapCode(bytes: Uint8Array): Pointer {
  const page = mapMemory();
  new Uint8Array(toArrayBuffer(page, 0, PAGE)).set(bytes);
  if (libc().mprotect(page, BigInt(PAGE), PROT_READ | PROT_EXEC) !== 0) throw new SystemError("mprotect", "EACCES");
  return page;
}

/** Zeroed memory outside the collector's reach, which takes room only where it is written to. */
export function mapMemory(length = PAGE): Pointer {
  const page = libc().mmap(null, BigInt(length), PROT_READ | PROT_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  if (page === null || Number(page) === -1) throw new SystemError("mmap", "ENOMEM");
  return Number(page) as Pointer;
}

/** The hex pairs from the fifth column on, one space between them; what follows is for the reader. */
function addBytes(bytes: number[], line: string): void {
  for (let at = 4; at < line.length && line[at] !== " "; at += 3)
    bytes.push(Number.parseInt(line.slice(at, at + 2), 16));
}

function littleEndian(value: number): string {
  return [0, 8, 16, 24].map((shift) => ((value >>> shift) & 255).toString(16).padStart(2, "0")).join(" ");
}
