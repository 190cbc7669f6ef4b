/**
 * In a process of its own, as its poller keeps descriptors for as long as the process lives. A session's socket, and what is done with it, as given: a line of JSON with what its follower
 * was sent, how often something was made for those who connect, and whether its name is there, before the end and after it.
 *
 * socketed.ts none|renamed|vanished [STEP...]
 */
import { existsSync, unlinkSync } from "node:fs";
import type { Controlled } from "../../src/holder/control.ts";
import { SessionSocket } from "../../src/holder/session-socket.ts";
import { encodeJsonFrame, FRAME, FrameParser, PROTOCOL_VERSION } from "../../src/protocol/frames.ts";
import { listenAt } from "../../src/transcript/bound-socket.ts";
import { Scratch } from "../transcript/scratch.ts";

const [bound = "none", ...steps] = process.argv.slice(2);
using scratch = new Scratch();
const { layout } = scratch;
using held = scratch.hold("s");
const path = `${layout.run}/s.sock`;
const other = `${layout.run}/other.sock`;
let opened = 0;
const followers: Promise<string[]>[] = [];
const rebound: boolean[] = [];

const relayed = { settle() {}, lend: () => null, outputEnd: null, typed() {}, printed() {} };
const session = { sharing: { maxClients: 1 }, reserved: { input: null, size: null }, terminal: null, relayed };
const socket = new SessionSocket({
  log: { write() {}, [Symbol.dispose]() {} },
  sessionId: "s",
  path,
  bound: bound === "none" ? null : { path: bound === "renamed" ? other : `${other}.gone`, fd: listenAt(other) },
  live() {
    opened++;
    return { layout, writer: held.writer, session: session as unknown as Controlled };
  },
});

const STEPS: Record<string, () => Promise<void> | void> = {
  connect: async () => void followers.push((await connected()).heard),
  print() {
    held.writer.append("stdout", Buffer.from("hi\n"), Date.now());
    held.writer.flushIndex();
  },
  open: () => socket.open(),
  unlink: () => unlinkSync(path),
  rebind: () => void rebound.push(socket.rebindIfMissing()),
};
for (const step of steps) await STEPS[step]?.();
const wasThere = existsSync(path);
socket.ending();
await socket.finish("exited", 5000);
const heard = await Promise.all(followers);
await Bun.write(Bun.stdout, JSON.stringify({ heard, opened, rebound, isThere: [wasThere, existsSync(path)] }));
held[Symbol.dispose]();
scratch[Symbol.dispose]();
process.exit(0);

/** Follows from the beginning; resolves with the names of what came when the other side has hung up. */
async function connected(): Promise<{ heard: Promise<string[]> }> {
  const names: string[] = [];
  const parser = new FrameParser();
  const over = Promise.withResolvers<string[]>();
  const nameOf = (type: number): string => Object.entries(FRAME).find(([, known]) => known === type)?.[0] ?? "unknown";
  await Bun.connect({
    unix: path,
    socket: {
      open(connection) {
        connection.write(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: "test" }));
        connection.write(encodeJsonFrame(FRAME.follow, { cursor: "0" }));
      },
      data: (_connection, bytes) => void names.push(...parser.push(bytes).map(({ type }) => nameOf(type))),
      close: () => over.resolve(names),
    },
  });
  return { heard: over.promise };
}
