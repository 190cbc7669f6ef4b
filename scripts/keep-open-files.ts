/**
 * The last part of the build: keeps the runtime from raising the soft limit on open files. It does that before any of our code runs and remembers nothing, so a
 * command would inherit the hard limit, and programs that look at every descriptor number, or that call select(2), would suffer from it.
 *
 * The runtime reaches setrlimit(2) by its name in the dynamic string table only. The name becomes getrlimit there: the call then reads the limit into a
 * structure of the caller's own, and changes nothing. holt raises its own limit where it needs to (src/platform/open-files.ts).
 */
import { readFileSync, writeFileSync } from "node:fs";

const NAME = "\0setrlimit\0";
const HARMLESS = "\0getrlimit\0";

const ELF = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_STRTAB = 5n;
const DT_STRSZ = 10n;

/** False where the file is of another format. */
export function keepOpenFiles(file: Buffer): boolean {
  if (!ELF.every((byte, i) => file[i] === byte)) return false;
  const segments = segmentsOf(file);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) throw new Error("the runtime is not linked dynamically");
  const entries = new Map<bigint, bigint>();
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16)
    entries.set(file.readBigUInt64LE(at), file.readBigUInt64LE(at + 8));
  const address = Number(entries.get(DT_STRTAB));
  const home = segments.find(({ type, start, size }) => type === PT_LOAD && address >= start && address < start + size);
  if (home === undefined) throw new Error("the runtime has no dynamic string table");
  const from = home.offset + address - home.start;
  const names = file.subarray(from, from + Number(entries.get(DT_STRSZ)));
  const at = names.indexOf(NAME);
  if (at < 0) throw new Error("the runtime does not import setrlimit: look how it raises the limit on open files now");
  names.write(HARMLESS, at, "latin1");
  return true;
}

interface Segment {
  type: number;
  offset: number;
  start: number;
  size: number;
}

function segmentsOf(file: Buffer): Segment[] {
  const [first, bytes, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * bytes;
    const word = (offset: number): number => Number(file.readBigUInt64LE(at + offset));
    return { type: file.readUInt32LE(at), offset: word(8), start: word(16), size: word(32) };
  });
}

if (import.meta.main)
  for (const path of process.argv.slice(2)) {
    const file = readFileSync(path);
    if (keepOpenFiles(file)) writeFileSync(path, file);
  }
