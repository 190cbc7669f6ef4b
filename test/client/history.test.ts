/** The cache of ended sessions gives the same lists as the disk. */
import { expect, test } from "bun:test";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HISTORY_SCHEMA } from "../../src/client/sessions/history-file.ts";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { session } from "../../src/protocol/methods/rows/fields.schema.ts";
import { listSessions } from "../../src/transcript/read/catalog.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { metaOf, Scratch } from "../transcript/scratch.ts";

const MANY = 210;

function many(scratch: Scratch): LocalSessions {
  for (let i = 0; i < MANY; i++)
    scratch.end(`s${i}`, { output: "x", final: { ended_at: new Date(Date.now() - i * 60_000).toISOString() } });
  return new LocalSessions(scratch.layout);
}

const database = ({ layout }: Scratch): string => join(layout.root, "holt.db");

test("a list from the cache is the list from disk, also after sessions began, ended, were lost, removed and made anew", () => {
  using scratch = new Scratch();
  const sessions = many(scratch);
  const agrees = (): void => expect(sessions.list()).toEqual(listSessions(scratch.layout));
  agrees();
  expect(statSync(database(scratch)).mode & 0o777).toBe(0o600);
  agrees();
  sessions.remove("s5");
  agrees();
  scratch.end("s5", { output: "another", meta: { name: "reborn" } });
  agrees();
  expect(sessions.list().find(({ session_id }) => session_id === "s5")?.name).toBe("reborn");
  scratch.lose("lost");
  agrees();
  {
    using held = scratch.hold("held");
    writeMeta(held.dir, metaOf("held"));
    agrees();
  }
  agrees();
});

test("only recently ended sessions are read from it, and all are counted", () => {
  using scratch = new Scratch();
  const sessions = many(scratch);
  for (const _ of ["made", "used"]) {
    const { sessions: recent, total } = sessions.listing({ endedSince: Date.now() - 10.5 * 60_000 });
    expect({ recent: recent.length, total }).toEqual({ recent: 11, total: MANY });
  }
});

test.each([
  ["deleted", (path: string) => rmSync(path)],
  ["no database", (path: string) => writeFileSync(path, "x".repeat(8192))],
  ["cut short", (path: string) => writeFileSync(path, new Uint8Array(100))],
  ["another holt's", (path: string) => writeFileSync(path, "")],
])("a cache that is %s is made anew", (_, spoil) => {
  using scratch = new Scratch();
  const sessions = many(scratch);
  sessions.list();
  for (const suffix of ["-wal", "-shm"]) rmSync(`${database(scratch)}${suffix}`, { force: true });
  spoil(database(scratch));
  expect(sessions.list()).toEqual(listSessions(scratch.layout));
  expect(existsSync(database(scratch))).toBe(true);
});

test("where no cache can be made, the list is read from disk", () => {
  using scratch = new Scratch();
  const sessions = many(scratch);
  Bun.spawnSync(["mkdir", database(scratch)]);
  expect(sessions.list()).toHaveLength(MANY);
});

/**
 * Found by a reviewer: Session had three new fields, and rows of an earlier build were returned
 * without them.
 */
test("rows of another shape are of another schema", () => {
  const shape = new Bun.CryptoHasher("sha256").update(Object.keys(session.shape).join(" ")).digest("hex").slice(0, 12);
  // If this fails, history-file.ts needs a new number, too: the rows in existing holt.db files have
  // the old fields.
  expect({ SCHEMA: HISTORY_SCHEMA, shape }).toEqual({ SCHEMA: 6, shape: "5aba692fb5a2" });
});
