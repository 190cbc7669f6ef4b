import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLockExclusive } from "../../src/platform/fs/lock.ts";
import { channelSocketKey, socketPath } from "../../src/transcript/layout.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { removeSession, sweep } from "../../src/transcript/retention/retention.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { removeStaleSockets } from "../../src/transcript/retention/stale-socket.ts";
import { metaOf, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

/** A holder killed with -9 left its socket in run/ for as long as its session was kept, a day or a month. */
describe("the socket that a killed holder left", () => {
  /** As a killed process leaves it: bound, and nobody at it. */
  async function leave(path: string): Promise<void> {
    const script = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
    await Bun.spawn([process.execPath, "-e", script, path]).exited;
    expect(lstatSync(path).isSocket()).toBe(true);
  }

  test("goes with the next sweep, and the session stays", async () => {
    const socket = socketPath(scratch.layout, "lost");
    await leave(socket);
    scratch.lose("lost", { meta: { socket } });
    sweep(scratch.layout, { dryRun: true });
    expect(existsSync(socket)).toBe(true);
    expect(sweep(scratch.layout)).toMatchObject([{ session_id: "lost", reason: "not_expired" }]);
    expect([existsSync(socket), existsSync(scratch.path("lost"))]).toEqual([false, true]);
  });

  /** The socket of a command's own channel was left behind, too, and no sweep knew of it. */
  test("goes together with those of its channels, by a sweep or with the session itself", async () => {
    const channels = [
      { name: "events", format: "jsonl" as const, source: "socket" as const, path: null },
      { name: "plain", format: "raw" as const, source: "fd" as const, path: null },
    ];
    const events = (id: string): string => socketPath(scratch.layout, channelSocketKey(id, "events"));
    for (const id of ["lost", "removed", "live"]) await leave(events(id));
    scratch.lose("lost", { meta: { channels } });
    scratch.lose("removed", { meta: { channels } });
    using held = scratch.hold("live");
    writeMeta(held.dir, metaOf("live", { channels }));
    removeSession(scratch.layout, "removed");
    expect(["lost", "removed", "live"].map((id) => existsSync(events(id)))).toEqual([true, false, true]);
    sweep(scratch.layout);
    expect(["lost", "live"].map((id) => existsSync(events(id)))).toEqual([false, true]);
  });

  test("stays when it is another's: of a session that lives, of another path, or no socket", async () => {
    const live = socketPath(scratch.layout, "live");
    const precious = join(scratch.root, "precious.sock");
    const file = socketPath(scratch.layout, "file");
    for (const path of [live, precious]) await leave(path);
    writeFileSync(file, "");
    using held = scratch.hold("live");
    writeMeta(held.dir, metaOf("live", { socket: live }));
    scratch.lose("other", { meta: { socket: precious } });
    scratch.lose("file", { meta: { socket: file } });
    sweep(scratch.layout);
    expect([live, precious, file].map((path) => existsSync(path))).toEqual([true, true, true]);
  });

  test("stays while somebody has the session's lock, such as a removal", async () => {
    const socket = socketPath(scratch.layout, "lost");
    await leave(socket);
    scratch.lose("lost", { meta: { socket } });
    using dir = SessionDir.open(scratch.layout, "lost");
    const lock = dir.openArtifact("append.lock", "read");
    expect(tryLockExclusive(lock)).toBe(true);
    removeStaleSockets(dir, [socket]);
    expect(existsSync(socket)).toBe(true);
    closeSync(lock);
    removeStaleSockets(dir, [socket]);
    expect(existsSync(socket)).toBe(false);
  });
});
