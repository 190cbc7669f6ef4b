/**
 * Runs the given steps on a session's socket and prints one line of JSON: the frames that each
 * follower received, how many descriptors were watched, and whether the path exists before and
 * after the end. A process of its own, because the poller keeps descriptors as long as the process
 * lives.
 *
 * socketed.ts none|bound|vanished|elsewhere [STEP...]
 */
import { existsSync, unlinkSync } from "node:fs";
import type { ControllableSession } from "../../src/holder/socket/control.ts";
import { SessionSocket } from "../../src/holder/socket/session-socket.ts";
import { poller } from "../../src/platform/native/poller.ts";
import { encodeJsonFrame, FRAME, FrameParser, PROTOCOL_VERSION } from "../../src/protocol/wire/frames.ts";
import { type BoundSocket, listenAt } from "../../src/transcript/bound-socket.ts";
import { Scratch } from "../transcript/scratch.ts";

const DEADLINE_MS = 5000;
const [bound = "none", ...steps] = process.argv.slice(2);
using scratch = new Scratch();
const { layout } = scratch;
using held = scratch.hold("s");
const path = `${layout.run}/s.sock`;
const other = `${layout.run}/other.sock`;
let opened = 0;
const followers: Promise<string[]>[] = [];
const rebound: boolean[] = [];

const watched = poller();
const watch = watched.watch.bind(watched);
watched.watch = (...given) => {
  opened++;
  return watch(...given);
};

const record = { meta: { session_id: "s", socket: path }, writer: held.writer };
const session = { record, sharing: { max_clients: 1 }, reserved: { input: null, size: null }, terminal: null };
const socket = new SessionSocket({
  log: { write() {}, has: () => false, [Symbol.dispose]() {} },
  layout,
  session: session as unknown as ControllableSession,
  bound: bound === "none" ? null : listening(bound),
});

function listening(how: string): BoundSocket {
  const at = how === "elsewhere" ? other : path;
  const fd = listenAt(at);
  if (how === "vanished") unlinkSync(at);
  return { path: at, fd };
}

const STEPS: Record<string, () => Promise<void> | void> = {
  connect: async () => void followers.push((await connected()).frames),
  print() {
    held.writer.append("stdout", Buffer.from("hi\n"), Date.now());
    held.writer.flushIndex();
  },
  turn: () => Bun.sleep(1),
  silent: () => void connect(() => {}),
  apart: async () => void followers.push((await connected(10)).frames),
  unlink: () => unlinkSync(path),
  rebind: () => void rebound.push(socket.rebindIfMissing()),
};
for (const step of steps) await (STEPS[step] ?? unknown(step))();
const wasThere = existsSync(path);
const began = performance.now();
socket.ending();
await socket.finish("exited", DEADLINE_MS);
const isAtOnce = performance.now() - began < DEADLINE_MS / 2;
const received = await Promise.all(followers);
await Bun.write(
  Bun.stdout,
  JSON.stringify({ received, opened, rebound, isAtOnce, isThere: [wasThere, existsSync(path) || existsSync(other)] }),
);
held[Symbol.dispose]();
scratch[Symbol.dispose]();
process.exit(0);

function unknown(step: string): never {
  throw new Error(`no step ${step}`);
}

/**
 * Follows from cursor 0, `afterMs` after HELLO; `frames` resolves with the frame names when the
 * connection is closed.
 */
async function connected(afterMs = 0): Promise<{ frames: Promise<string[]> }> {
  const names: string[] = [];
  const parser = new FrameParser();
  const over = Promise.withResolvers<string[]>();
  const nameOf = (type: number): string => Object.entries(FRAME).find(([, known]) => known === type)?.[0] ?? "unknown";
  const connection = await connect(
    (bytes) => void names.push(...parser.push(bytes).map(({ type }) => nameOf(type))),
    () => over.resolve(names),
  );
  connection.write(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: "test" }));
  const follow = (): void => void connection.write(encodeJsonFrame(FRAME.follow, { cursor: "0" }));
  if (afterMs === 0) follow();
  else setTimeout(follow, afterMs);
  return { frames: over.promise };
}

function connect(data: (bytes: Uint8Array) => void, close: () => void = () => {}): Promise<Bun.Socket> {
  return Bun.connect({ unix: path, socket: { data: (_socket, bytes) => data(bytes), close } });
}
