/** A session that is attacked by those who attach to it, and what they attack it with. */
import { expect } from "bun:test";
import * as fc from "fast-check";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { encodeJsonFrame } from "../../src/protocol/wire/frames.ts";
import { Detached, ECHO, type Watcher } from "./detached.ts";
import { privateMemory } from "./processes.ts";
import type { RawClient } from "./raw-client.ts";
import { size, until } from "./size.ts";

export const RUNS = size(200, 10_000);

export const MAX_MEMORY_KB = 100 * 1024;

export const VALID = {
  role: "driver",
  replay: "screen",
  size: { cols: 80, rows: 24, width: 0, height: 0 },
  scrollback: 10,
  raw_bytes: 1000,
  replaces: false,
  takeover: false,
  once: false,
  pid: 1,
  label: "x",
};

export const attach = (value: unknown): Uint8Array => encodeJsonFrame(ATTACH_FRAME.attach, value);
export const resize = (value: unknown): Uint8Array => encodeJsonFrame(ATTACH_FRAME.resize, value);
export const DETACH = encodeJsonFrame(ATTACH_FRAME.detach, {});

export interface Target {
  bench: Detached;
  id: string;
  path: string;
  holder: number;
  /** Attached all the while. */
  witness: Watcher;
}

/** A session with somebody attached to it, who must not notice anything. */
export async function attacked(work: (target: Target) => Promise<void>, script = ECHO, cells = "80x24"): Promise<void> {
  using bench = new Detached();
  const id = await bench.start(script, ["--max-clients", "64", "--size", cells]);
  using witness = await bench.watch(id);
  await witness.sees("ready");
  const { socket } = bench.meta(id);
  const holder = bench.holder(id);
  await work({ bench, id, path: socket ?? "", holder, witness });
  witness.type("the end\n");
  await witness.sees("the end");
  expect(witness.last).toBeNull();
  await until("the holder is small", () => privateMemory(holder) < MAX_MEMORY_KB);
  await bench.end(id);
  expect(bench.final(id)).toMatchObject({ reason: "kill_requested", output_complete: true });
}

const odd = fc.oneof(
  fc.constantFrom(null, -1, 0, 1.5, 1e308, 65_535, 65_536, "", "80", "NaN", true, [], {}, "screen", "__proto__"),
  fc.anything({ maxDepth: 1 }).map(jsonable),
);
const dimension = fc.oneof(fc.integer({ min: 1, max: 65_535 }), odd);
export const oddSize = fc.oneof(odd, fc.record({ cols: dimension, rows: dimension, width: odd, height: odd }));
export const oddAttach = fc
  .tuple(fc.dictionary(fc.constantFrom(...Object.keys(VALID), "cursor"), odd, { maxKeys: 4 }), oddSize, fc.boolean())
  // To take the others' place is everybody's right.
  .map(([fields, at, sized]) => ({ ...VALID, ...fields, ...(sized ? { size: at } : {}), replaces: false }));

function jsonable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}

export const heard = (client: RawClient, ...types: number[]): boolean =>
  client.frames.some(({ type }) => types.includes(type));
