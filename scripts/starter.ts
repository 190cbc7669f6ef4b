/**
 * The last part of the build: puts the program that asks the daemon for a plain `holt start` (src/platform/native/starter-x64.s) in front of the runtime.
 *
 * Its code and its table are appended to the file. A segment of them takes the place of the note in the program headers, which nobody reads, and the entry is theirs; the
 * real one is in the table. What the runtime has for itself in the file is found by its address, so that more at the end is no matter.
 *
 * Nothing of what the program says or looks at is written down twice: the table is made here by the code that the runtime's own way uses.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArguments } from "../src/cli/arguments.ts";
import { START } from "../src/cli/declarations/start.ts";
import { requestOf } from "../src/cli/start.ts";
import { paramsFrom } from "../src/client/start-session.ts";
import { UNCONFIGURED } from "../src/config/quick-settings.ts";
import { configDirectory } from "../src/config/where.ts";
import { CIRCUMSTANCE_FILES, CIRCUMSTANCE_LINKS, RAISED_LIMIT, STATUS_LINES } from "../src/platform/circumstances.ts";
import { STARTER_X64 } from "../src/platform/native/starter-code.ts";
import { bytesOf } from "../src/protocol/bytes.ts";
import { EPOCH } from "../src/protocol/session-id.ts";
import { STARTED_COMMAND } from "../src/protocol/start-request.ts";
import { VERSION } from "../src/protocol/version.ts";
import { requestLine } from "../src/protocol/wire.ts";
import { daemonSocketPath, layoutAt, stateRoot } from "../src/transcript/layout.ts";

const HEADER_BYTES = 64;
const PT_LOAD = 1;
const PT_NOTE = 4;
const READ_EXECUTE = 5;
const PAGE = 0x1000n;
/** At the end of the code, and filled in here: the real entry, the epoch. */
const TABLE_BYTES = 16;

/** With the starter in front, or null where it has no place: another machine, another format. */
export async function withStarter(file: Uint8Array): Promise<Uint8Array | null> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (!isOurKind(file, view)) return null;
  const segments = segmentsOf(view);
  const note = segments.find(({ type }) => type === PT_NOTE);
  if (note === undefined) return null;
  const program = programWith(view.getBigUint64(24, true), await texts());
  const offset = paged(BigInt(file.length));
  const address = paged(segments.reduce((most, { type, end }) => (type === PT_LOAD && end > most ? end : most), 0n));
  const whole = new Uint8Array(Number(offset) + program.length);
  whole.set(file);
  whole.set(program, Number(offset));
  const made = new DataView(whole.buffer);
  made.setBigUint64(24, address, true);
  made.setUint32(note.at, PT_LOAD, true);
  made.setUint32(note.at + 4, READ_EXECUTE, true);
  const length = BigInt(program.length);
  const words = [offset, address, address, length, length, PAGE];
  for (const [i, word] of words.entries()) made.setBigUint64(note.at + 8 + i * 8, word, true);
  return whole;
}

/** An executable for x86-64 at a fixed address, of 64 bits and little endian. */
function isOurKind(file: Uint8Array, view: DataView): boolean {
  if (file.length < HEADER_BYTES || ![0x7f, 0x45, 0x4c, 0x46, 2, 1].every((byte, i) => file[i] === byte)) return false;
  const ET_EXEC = 2;
  const X86_64 = 62;
  return view.getUint16(16, true) === ET_EXEC && view.getUint16(18, true) === X86_64;
}

interface Segment {
  /** Of its header. */
  at: number;
  type: number;
  end: bigint;
}

function segmentsOf(view: DataView): Segment[] {
  const [first, size] = [Number(view.getBigUint64(32, true)), view.getUint16(54, true)];
  return Array.from({ length: view.getUint16(56, true) }, (_, i) => {
    const at = first + i * size;
    const end = view.getBigUint64(at + 16, true) + view.getBigUint64(at + 40, true);
    return { at, type: view.getUint32(at, true), end };
  });
}

function paged(size: bigint): bigint {
  return ((size + PAGE - 1n) / PAGE) * PAGE;
}

/** The code, and behind it its table: real entry, epoch, where each text is, the texts. */
function programWith(entry: bigint, all: readonly string[]): Uint8Array {
  const code = Uint8Array.fromBase64(STARTER_X64);
  const at = code.length - TABLE_BYTES;
  const parts = all.map((text) => bytesOf(`${text}\0`));
  const offsets = TABLE_BYTES + parts.length * 4;
  const program = new Uint8Array(parts.reduce((length, part) => length + part.length, at + offsets));
  program.set(code);
  const table = new DataView(program.buffer, at);
  table.setBigUint64(0, entry, true);
  table.setBigUint64(8, BigInt(EPOCH), true);
  let offset = offsets;
  for (const [i, part] of parts.entries()) {
    table.setUint32(TABLE_BYTES + i * 4, offset, true);
    program.set(part, at + offset);
    offset += part.length;
  }
  return program;
}

/** In the order in which the code has them. */
async function texts(): Promise<string[]> {
  const { request, pty, pipes } = await requests();
  const list = (names: readonly string[]): string => names.map((name) => `${name}\0`).join("");
  return [
    request,
    `{"jsonrpc":"2.0","id":1,"result":`,
    `"holt_version":${JSON.stringify(VERSION)}`,
    pty,
    pipes,
    below("", daemonSocketPath(layoutAt(""))),
    below("/x", stateRoot({ XDG_STATE_HOME: "/x" })),
    below("/x", stateRoot({ HOME: "/x" })),
    below("/x", configDirectory({ XDG_CONFIG_HOME: "/x" })),
    below("/x", configDirectory({ HOME: "/x" })),
    list(STATUS_LINES),
    list(CIRCUMSTANCE_FILES),
    list(CIRCUMSTANCE_LINKS),
    `\n${RAISED_LIMIT}`,
    STARTED_COMMAND,
  ];
}

function below(place: string, path: string | null): string {
  if (path === null || !path.startsWith(`${place}/`)) throw new Error(`${path} is not below ${place}`);
  return path.slice(place.length);
}

/** What `holt start -- WORD` sends, with a control character for each part that is not always the same; and what stands for a terminal, and for none. */
async function requests(): Promise<{ request: string; pty: string; pipes: string }> {
  // What whoever builds has set for their own sessions is not everybody's.
  for (const name of Object.keys(process.env)) if (name.startsWith("HOLT_")) delete process.env[name];
  const paramsOf = async (options: readonly string[]): Promise<ReturnType<typeof paramsFrom>> =>
    paramsFrom(await requestOf(parseArguments(START, [...options, "--", "true"]), async () => UNCONFIGURED));
  const params = await paramsOf([]);
  const line = requestLine(1, "session.start", {
    ...params,
    cwd: "\u0001",
    umask: "\u0002",
    session_id: "\u0003",
    name: "\u0004",
    argv_base64: ["\u0005"],
    env_base64: ["\u0006"],
    pty: "\u0007",
    circumstances: "\u0008",
  });
  // JSON escapes them; those that bring their own quotes, or need none, lose theirs.
  const request = line
    .replaceAll(/"\\u000([24567])"/g, (_, digit: string) => String.fromCharCode(Number(digit)))
    .replaceAll(/\\u000([13])/g, (_, digit: string) => String.fromCharCode(Number(digit)))
    .replaceAll("\\b", "\b");
  return { request, pty: JSON.stringify(params.pty), pipes: JSON.stringify((await paramsOf(["--no-pty"])).pty) };
}

if (import.meta.main)
  for (const path of process.argv.slice(2)) {
    const made = await withStarter(readFileSync(path));
    if (made !== null) writeFileSync(path, made);
  }
