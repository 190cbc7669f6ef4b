import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { closeQuietly } from "../../src/platform/fs/descriptors.ts";
import { dialUnix, listenUnix } from "../../src/platform/sockets/unix-socket.ts";
import { ReservedDir, clearReservedDirs } from "../../src/transcript/write/reserved-dir.ts";
import { unbind } from "../../src/transcript/bound-socket.ts";
import { listSessions, sessionIds } from "../../src/transcript/read/catalog.ts";
import { type OpenSession, openSession } from "../../src/transcript/write/open-session.ts";
import { sweep } from "../../src/transcript/retention/retention.ts";
import { socketsOf } from "../../src/transcript/retention/stale-socket.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { codeOf, metaOf, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const inRun = () => readdirSync(scratch.layout.run);

function close({ dir, events, final, files, nextMeta }: OpenSession): void {
  for (const opened of [events, final, nextMeta, dir]) opened?.[Symbol.dispose]();
  [files.output, files.index].forEach(closeQuietly);
}

/** A reserved directory as a killed process leaves it: complete, without a lock. */
async function leave(): Promise<string> {
  const before = new Set(inRun());
  const script = `
    const { ReservedDir } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/write/reserved-dir.ts"))});
    const { layoutAt } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/layout.ts"))});
    new ReservedDir(layoutAt(process.argv[1]));
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", script, scratch.layout.root]).exited;
  const left = inRun().filter((entry) => !before.has(entry));
  expect(left).toHaveLength(2);
  return left.find((entry) => !entry.endsWith(".sock")) ?? "";
}

describe("a reserved directory", () => {
  test("is not a session, though it has all its files and a lock", () => {
    using _berth = new ReservedDir(scratch.layout);
    expect(sessionIds(scratch.layout)).toEqual([]);
    const name = inRun().find((entry) => !entry.endsWith(".sock")) ?? "";
    const artifacts = readdirSync(join(scratch.layout.run, name)).filter((entry) => !entry.startsWith("."));
    expect(artifacts.toSorted()).toEqual(["append.lock", "events.jsonl", "index.jsonl", "meta.json", "output.bin"]);
    using dir = SessionDir.openInRun(scratch.layout, name);
    expect(dir.isHeld()).toBe(true);
    expect(statSync(join(scratch.layout.run, name)).mode & 0o777).toBe(0o700);
  });

  test("becomes a session in one step: a reader that sees the directory sees the whole record and the lock", () => {
    const berth = new ReservedDir(scratch.layout);
    const place = berth.take("new");
    expect(existsSync(scratch.path("new"))).toBe(false);
    place.announce(metaOf("new"));
    expect(JSON.parse(readFileSync(scratch.path("new", "meta.json"), "utf8"))).toMatchObject({ session_id: "new" });
    expect(place.dir).toMatchObject({ id: "new", path: scratch.path("new") });
    expect([place.dir.isHeld(), place.dir.isInPlace()]).toEqual([true, true]);
    expect(listSessions(scratch.layout)).toMatchObject([{ session_id: "new", state: "running" }]);
    berth[Symbol.dispose](); // it is the session's now
    expect(existsSync(scratch.path("new", "output.bin"))).toBe(true);
    if (berth.socket !== null) unbind(berth.socket);
    close(place);
    expect(inRun()).toEqual([]);
  });

  test.each([
    ["lives", () => writeFileSync(scratch.path("taken", "append.lock"), "")],
    ["has a record", () => writeFileSync(scratch.path("taken", "meta.json"), "{}")],
    ["has ended", () => writeFileSync(scratch.path("taken", "final.json"), "{}")],
  ])("cannot take the id of a session that %s, and changes nothing in it", (_, fill) => {
    mkdirSync(scratch.path("taken"));
    fill();
    const before = readdirSync(scratch.path("taken"));
    using berth = new ReservedDir(scratch.layout);
    const place = berth.take("taken");
    expect(codeOf(() => place.announce(metaOf("taken")))).toBe("EEXISTS");
    expect(readdirSync(scratch.path("taken"))).toEqual(before);
  });

  test("replaces an unlocked claim, whose owner then finds the id taken", () => {
    using slow = SessionDir.create(scratch.layout, "raced");
    const berth = new ReservedDir(scratch.layout);
    const place = berth.take("raced");
    place.announce(metaOf("raced"));
    expect(codeOf(() => openSession(slow))).toBe("EEXISTS");
    expect(place.dir.isInPlace()).toBe(true);
    if (berth.socket !== null) unbind(berth.socket);
    close(place);
  });

  test("leaves nothing behind if it is not used", () => {
    new ReservedDir(scratch.layout)[Symbol.dispose]();
    expect(inRun()).toEqual([]);
    expect(sessionIds(scratch.layout)).toEqual([]);
  });

  test("cannot be created without run/", () => {
    rmSync(scratch.layout.run, { recursive: true });
    expect(codeOf(() => new ReservedDir(scratch.layout))).toBe("ENOENT");
  });

  test("listens before it is used, at the path that the session keeps", () => {
    using berth = new ReservedDir(scratch.layout);
    if (berth.socket === null) throw new Error("it does not listen");
    const { path } = berth.socket;
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const fd = dialUnix(path);
    expect(fd).not.toBeNull();
    if (fd !== null) closeQuietly(fd);
    const own = { session_id: "s", channels: [] };
    expect(socketsOf(scratch.layout, { ...own, socket: path })).toEqual([path]);
    for (const socket of [null, `${path}x`, join(scratch.layout.run, "daemon.sock"), `/elsewhere/${basename(path)}`])
      expect(socketsOf(scratch.layout, { ...own, socket })).toEqual([]);
  });

  test("gets its record with one write, without the rest of the reserved space", () => {
    const berth = new ReservedDir(scratch.layout);
    const place = berth.take("begun");
    place.announce(metaOf("begun"));
    const written = readFileSync(scratch.path("begun", "meta.json"), "utf8");
    expect(written).toBe(`${JSON.stringify(metaOf("begun"))}\n`);
    if (berth.socket !== null) unbind(berth.socket);
    close(place);
  });

  test("takes a longer record than the reserved space", () => {
    const berth = new ReservedDir(scratch.layout);
    const meta = metaOf("long", { argv: ["x".repeat(10_000)] });
    const place = berth.take("long");
    place.announce(meta);
    expect(readFileSync(scratch.path("long", "meta.json"), "utf8")).toBe(`${JSON.stringify(meta)}\n`);
    if (berth.socket !== null) unbind(berth.socket);
    close(place);
  });
});

describe("reserved directories of killed holders", () => {
  test("are removed by the next sweep; those of living holders stay", async () => {
    using _living = new ReservedDir(scratch.layout);
    const before = inRun();
    const left = await leave();
    expect(inRun()).toContain(left);
    sweep(scratch.layout, { dryRun: true });
    expect(inRun()).toContain(left);
    sweep(scratch.layout);
    expect(inRun().toSorted()).toEqual(before.toSorted());
  });

  test("are removed also if the holder was killed before it had a lock", () => {
    mkdirSync(join(scratch.layout.run, "berth-0123456789ab"));
    clearReservedDirs(scratch.layout);
    expect(inRun()).toEqual([]);
  });

  test.each([
    "0123456789ab.sock",
    "berth-0123456789ab.sock", // in an earlier version
  ])("a socket without a directory or session, %s, is removed only if no process listens", (name) => {
    const fd = listenUnix(join(scratch.layout.run, name));
    clearReservedDirs(scratch.layout);
    expect(inRun()).toHaveLength(1);
    closeQuietly(fd);
    clearReservedDirs(scratch.layout);
    expect(inRun()).toEqual([]);
  });
});
