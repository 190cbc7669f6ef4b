/** Clients at a terminal over WebSocket that do not read: the others must not be able to tell, and the daemon does not keep for them what they leave. */
import { expect, test } from "bun:test";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import { RawWeb, requestOf, UPGRADE } from "../web/raw-web.ts";
import { type Served, withWeb } from "../web/served.ts";
import { privateMemory } from "./processes.ts";
import { size, until } from "./size.ts";

/** More than the kernel keeps for one who does not read. */
const MB = size(20, 100);

/** So many megabytes at once, for each line that it reads; then it says so. */
const FLOOD = [
  "python3",
  "-c",
  `import sys, tty, os
tty.setraw(0)
os.write(1, b"ready\\r\\n")
line = b"%06d " + b"x" * 92 + b"\\n"
while True:
    key = os.read(0, 1)
    if key == b"q": break
    if key == b"f": sys.stdout.buffer.write(b"".join(line % i for i in range(${MB} * 10000))); sys.stdout.flush()
    os.write(1, b"got " + key + b"\\r\\n")`,
];

async function frozen(served: Served, id: string, token = served.ownerToken): Promise<RawWeb> {
  const client = await RawWeb.dial({ port: served.port });
  const headers = { Host: served.host, ...UPGRADE, Authorization: `Bearer ${token}` };
  client.write(
    requestOf(`GET /api/v1/pty/sessions/${id}/attach`, { ...headers, "Sec-WebSocket-Protocol": "holt.v1.binary" }),
  );
  expect((await client.answer()).status).toBe(101);
  await until("the history is there", () => client.frames().length > 0);
  client.stop();
  return client;
}

const kinds = (client: RawWeb, kind: number): Buffer[] =>
  client.frames().flatMap(([opcode, payload]) => (opcode === 2 && payload[0] === kind ? [payload.subarray(1)] : []));

const closedWith = (client: RawWeb): number | null =>
  client
    .frames()
    .find(([opcode]) => opcode === 8)?.[1]
    .readUInt16BE(0) ?? null;

test(`one of eight takes nothing: the other seven get all ${MB} MB, and it a fresh screen when it reads again`, async () => {
  await withWeb(async (served) => {
    const id = await served.start(FLOOD, { slow_client: "resync" });
    using stuck = await frozen(served, id);
    const others = await Promise.all(
      Array.from({ length: 7 }, (_, at) => served.attach(id, { isBinary: at % 2 === 0, query: { cursor: "0" } })),
    );
    for (const other of others) await other.hears("history");
    const before = privateMemory(served.bench.daemonPid ?? 0);
    others[0]?.type("f");
    const untilPrinted = { session_id: id, cursor: "0", until: [{ match: "got f" }], timeout_ms: 60_000 };
    expect((await served.client.call("session.wait", untilPrinted)).outcome).toBe("matched");
    const kept = served.bench.output(id);
    expect(kept.length).toBeGreaterThan(MB * 1_000_000);
    await until("the others have it all", () => others.every(({ bytes }) => bytes === kept.length), 60_000);
    for (const { output } of others) expect(output.equals(kept)).toBe(true);
    expect(others.map(({ closedWith: code }) => code)).toEqual(others.map(() => null));
    await until("the daemon is small", () => privateMemory(served.bench.daemonPid ?? 0) < before + 60 * 1024);
    // It goes on: with a screen, not with all that it missed.
    stuck.read();
    const replays = (): string[] => kinds(stuck, ATTACH_FRAME.replay).map((payload) => payload.toString());
    await until("a fresh history comes", () => replays().length >= 2);
    others[0]?.type("k");
    await until("it is up to date", () => stuck.received.includes("got k"));
    expect(stuck.received.length).toBeLessThan(kept.length);
    expect(closedWith(stuck)).toBeNull();
  });
}, 300_000);

/**
 * Found here: the holder's last word to one who takes nothing cannot reach it, and so the daemon never learnt that it was let go: the socket stayed, with a megabyte
 * unread, and when it was read at last it said that the session's holder was gone.
 */
test("where that is configured it is let go after so long, told 4408, and leaves nothing behind", async () => {
  await withWeb(async (served) => {
    const id = await served.start(FLOOD, { slow_client: "close", slow_client_ms: 300 });
    using stuck = await frozen(served, id);
    const other = await served.attach(id, { query: { cursor: "0" } });
    await other.hears("history");
    other.type("f");
    await until("it is let go", async () => {
      const { clients } = await served.client.call("session.clients", { session_id: id });
      return clients.length === 1;
    });
    expect(served.bench.events(id).filter(({ type }) => type === "detach")).toMatchObject([{ reason: "slow" }]);
    stuck.read();
    await until("it is told", () => closedWith(stuck) !== null || stuck.isClosed);
    expect(closedWith(stuck)).toBe(4408);
    expect(kinds(stuck, FRAME.error)).toEqual([]);
    const kept = served.bench.output(id);
    await until("the other has it all", () => other.bytes >= kept.length, 60_000);
  });
}, 300_000);

test("one whose key is taken back is hung up on, though it reads nothing", async () => {
  await withWeb(async (served) => {
    const id = await served.start(FLOOD);
    const { token, token_id } = await served.made(id, "viewer");
    using stuck = await frozen(served, id, token);
    const other = await served.attach(id);
    other.type("f");
    await until("it is behind", async () => {
      const { clients } = await served.client.call("session.clients", { session_id: id });
      return clients.some(({ lag_bytes }) => lag_bytes > 0);
    });
    await served.client.call("token.revoke", { token_id });
    await until("it is attached no more", async () => {
      const { clients } = await served.client.call("session.clients", { session_id: id });
      return clients.length === 1;
    });
    await stuck.hangsUpUnread(served.bench.daemonPid ?? 0);
  });
}, 300_000);

/** Once in a dozen runs of the test below: with nothing unread it was closed at once, and its descriptor was kept for a minute, for an answer that never came. */
test("one that answers nothing is hung up on, though there is nothing that it has not read", async () => {
  await withWeb(async (served) => {
    const id = await served.start(FLOOD);
    const { token, token_id } = await served.made(id, "viewer");
    using stuck = await frozen(served, id, token);
    await served.client.call("token.revoke", { token_id });
    await stuck.hangsUpUnread(served.bench.daemonPid ?? 0);
  });
}, 300_000);

test("one that never reads again is hung up on", async () => {
  await withWeb(async (served) => {
    const id = await served.start(FLOOD, { slow_client: "close", slow_client_ms: 300 });
    using stuck = await frozen(served, id);
    const other = await served.attach(id);
    other.type("f");
    await stuck.hangsUpUnread(served.bench.daemonPid ?? 0);
    expect((await served.client.call("session.get", { session_id: id })).state).toBe("running");
  });
}, 300_000);
