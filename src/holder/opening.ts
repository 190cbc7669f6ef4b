/**
 * Waits for what a holder is told and, where that was prepared, begins the session in the same breath, as machine code (platform/native/opening-x64.s): the record, the name, the
 * cue. After a wait JavaScript takes longer for that than the kernel does, and everybody waits for it (docs/adr/0029). Whatever is not plainly so is left to those who would
 * have done it otherwise (starter.ts, warm.ts), who also know what to make of a failure.
 */
import { CFunction, type Pointer } from "bun:ffi";
import { ticksIn } from "../platform/birth-time.ts";
import { LENT_BYTES, lentMemory } from "../platform/lent-memory.ts";
import { cstring } from "../platform/libc.ts";
import { machineCode, mapCode } from "../platform/machine-code.ts";
import { OPENING_X64 } from "../platform/native/opening-code.ts";
import type { Understudy } from "../process/understudy.ts";
import type { Berth } from "../transcript/berth.ts";
import { type Told, toldIn } from "./starter.ts";

/** What the machine code is given; native/opening-x64.s has the same. */
const AT = {
  mode: 0,
  channel: 4,
  record: 8,
  orders: 12,
  terminal: 16,
  understudy: 20,
  room: 24,
  read: 28,
  sessions: 32,
  berth: 40,
  actions: 48,
  toldAt: 112,
  paths: 128,
  message: 4096,
} as const;
const ACTIONS_BYTES = 64;
const MODES = { note: 0, wait: 1 } as const;
const NAMED = 1;
const CUED = 2;
const ECONNRESET = 104;

type BeginsAt = (page: Pointer) => number;

export interface Players {
  berth: Berth;
  understudy: Understudy;
}

export class Opening {
  readonly #call: BeginsAt;
  /** What SIGINT and SIGTERM did when this was made, and do again once something is told. */
  readonly #actions: Uint8Array;

  private constructor(call: BeginsAt) {
    this.#call = call;
    const { at, bytes } = lentMemory();
    new DataView(bytes.buffer).setUint32(AT.mode, MODES.note, true);
    call(at);
    this.#actions = bytes.slice(AT.actions, AT.actions + ACTIONS_BYTES);
  }

  /** Null where there is no such code. */
  static prepare(): Opening | null {
    if (process.arch !== "x64" || machineCode() === null) return null;
    try {
      const ptr = mapCode(Uint8Array.fromBase64(OPENING_X64));
      return new Opening(CFunction({ ptr, args: ["ptr"], returns: "int" }) as unknown as BeginsAt);
    } catch {
      return null;
    }
  }

  /** Blocks until something is told. Null where it cannot be waited for that way. What is told is lent: it is good until anything is printed. */
  wait(channel: number, { berth, understudy }: Players): Told | null {
    const { at, bytes } = lentMemory();
    const page = new DataView(bytes.buffer);
    const { record, from, into } = berth.claim;
    const berthPath = cstring(from);
    const sessionsPath = cstring(into);
    const second = AT.paths + berthPath.length;
    if (second + sessionsPath.length > AT.message) return null;
    bytes.set(berthPath, AT.paths);
    bytes.set(sessionsPath, second);
    bytes.set(this.#actions, AT.actions);
    const { orders, terminal, pid } = understudy.ends;
    for (const [field, value] of [
      [AT.mode, MODES.wait],
      [AT.channel, channel],
      [AT.record, record],
      [AT.orders, orders],
      [AT.terminal, terminal],
      [AT.understudy, pid],
      [AT.room, LENT_BYTES - AT.message],
    ] as const)
      page.setInt32(field, value, true);
    page.setBigUint64(AT.berth, BigInt(at + AT.paths), true);
    page.setBigUint64(AT.sessions, BigInt(at + second), true);
    const done = this.#call(at);
    const length = page.getInt32(AT.read, true);
    if (length < 0 && length !== -ECONNRESET) return null; // who reads again is told why
    const first = bytes.subarray(AT.message, AT.message + Math.max(0, length));
    if (done === NAMED) return { ...toldIn(channel, first), done: { kind: "named" } };
    if (done !== CUED) return toldIn(channel, first.slice());
    const [seconds, nanoseconds] = [page.getBigInt64(AT.toldAt, true), page.getBigInt64(AT.toldAt + 8, true)];
    return { ...toldIn(channel, first), done: { kind: "cued", at: ticksIn(seconds, nanoseconds) } };
  }
}
