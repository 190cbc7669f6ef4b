/**
 * The leader as a program of its own, in memory: about a thousand bytes of code behind an ELF header. Starting it takes a fraction of a
 * millisecond and it owns a few pages, where this executable as a leader takes 4 ms and 3.6 MB (docs/adr/0004).
 */
import { closeQuietly } from "./descriptors.ts";
import { cstring, libc } from "./libc.ts";
import type { Before } from "./limits.ts";
import { LEADER_X64 } from "./native/leader-code.ts";

const BASE = 0x400000n;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const CODE_AT = HEADER_BYTES + 2 * SEGMENT_BYTES;

/** At the end of the code: which part it plays, the group's descriptor, the ignored signals as bits, and how many limits follow. */
const TABLE_BYTES = 24;
const LIMIT_BYTES = 24;

const PARTS = { leader: 0, alone: 1 } as const;

export interface LeaderPart extends Before {
  /** "alone": no leader, but the command itself, once it has its limits. */
  part: keyof typeof PARTS;
}

/** A descriptor to execute as /proc/self/fd/N, closed in children; null where there is no such program. */
export function openLeaderProgram(part: LeaderPart): number | null {
  if (process.platform !== "linux" || process.arch !== "x64" || process.env["HOLT_NO_NATIVE"] === "1") return null;
  const MFD_CLOEXEC = 1;
  const fd = libc().memfd_create(cstring("holt-leader"), MFD_CLOEXEC);
  if (fd < 0) return null;
  const program = elf(withTable(Uint8Array.fromBase64(LEADER_X64), part));
  if (Number(libc().write(fd, program, BigInt(program.length))) === program.length) return fd;
  closeQuietly(fd);
  return null;
}

function withTable(code: Uint8Array, { part, limits, group, ignored }: LeaderPart): Uint8Array {
  if (part === "leader" && limits.length + ignored.length === 0 && group === null) return code;
  const whole = new Uint8Array(code.length + limits.length * LIMIT_BYTES);
  whole.set(code);
  const view = new DataView(whole.buffer, code.length - TABLE_BYTES);
  view.setUint32(0, PARTS[part], true);
  view.setUint32(4, group ?? 0, true);
  const bits = ignored.reduce((all, signal) => all | (1n << BigInt(signal - 1)), 0n);
  view.setBigUint64(8, bits, true);
  view.setBigUint64(16, BigInt(limits.length), true);
  for (const [i, { resource, soft, hard }] of limits.entries()) {
    const words = [BigInt(resource), soft, hard];
    for (const [j, word] of words.entries()) view.setBigUint64(TABLE_BYTES + i * LIMIT_BYTES + j * 8, word, true);
  }
  return whole;
}

/** A static executable for x86-64: one segment that holds everything, and a note that the stack is not for code. */
function elf(code: Uint8Array): Uint8Array {
  const file = new Uint8Array(CODE_AT + code.length);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // "\x7fELF", 64 bit, little endian, version 1
  view.setUint16(16, 2, true); // executable
  view.setUint16(18, 62, true); // x86-64
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BASE + BigInt(CODE_AT), true); // entry
  view.setBigUint64(32, BigInt(HEADER_BYTES), true); // segments follow
  view.setUint16(52, HEADER_BYTES, true);
  view.setUint16(54, SEGMENT_BYTES, true);
  view.setUint16(56, 2, true);
  const PT_LOAD = 1;
  const READ_EXECUTE = 5;
  const size = BigInt(file.length);
  segment(view, HEADER_BYTES, { type: PT_LOAD, flags: READ_EXECUTE, address: BASE, size, align: 0x1000n });
  const PT_GNU_STACK = 0x6474e551;
  const READ_WRITE = 6;
  segment(view, HEADER_BYTES + SEGMENT_BYTES, {
    type: PT_GNU_STACK,
    flags: READ_WRITE,
    address: 0n,
    size: 0n,
    align: 16n,
  });
  file.set(code, CODE_AT);
  return file;
}

interface Segment {
  type: number;
  flags: number;
  address: bigint;
  size: bigint;
  align: bigint;
}

function segment(view: DataView, at: number, { type, flags, address, size, align }: Segment): void {
  view.setUint32(at, type, true);
  view.setUint32(at + 4, flags, true);
  view.setBigUint64(at + 16, address, true);
  view.setBigUint64(at + 24, address, true);
  view.setBigUint64(at + 32, size, true);
  view.setBigUint64(at + 40, size, true);
  view.setBigUint64(at + 48, align, true);
}
