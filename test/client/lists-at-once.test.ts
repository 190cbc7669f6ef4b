/** Many processes list at the same time and share the cache. */
import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { Scratch } from "../transcript/scratch.ts";

const MANY = 210;
const TOUCHED = Array.from({ length: 40 }, (_, i) => `s${i * 5}`);
const LISTS = 40;

/**
 * Found by a reviewer, with starts, removals, `holt ls` and `session.list` in loops: 4 of 713 lists
 * lacked an ended session. A process that saw a replaced directory deleted its row in one
 * transaction and inserted it in the next; a list in between found the session neither in the cache
 * nor on disk.
 */
test("no list lacks a session while another process sees that its directory changed", async () => {
  using scratch = new Scratch();
  for (let i = 0; i < MANY; i++) scratch.end(`s${i}`);
  const all = Array.from({ length: MANY }, (_, i) => `s${i}`).toSorted();
  const again = new LocalSessions(scratch.layout); // compares names, and stamps only once a second
  again.list();
  using cache = new Database(join(scratch.layout.root, "holt.db"), { readwrite: true, create: false });
  const rows = cache.query<{ n: number }, []>("SELECT count(*) AS n FROM ended");
  await using _ = await touching(scratch);
  for (let i = 0; i < LISTS; i++) {
    expect(rows.get()).toEqual({ n: MANY });
    expect(idsOf(again)).toEqual(all);
    expect(idsOf(new LocalSessions(scratch.layout))).toEqual(all);
    expect(again.counts()).toEqual({ open: [], ended: MANY });
  }
});

const idsOf = (sessions: LocalSessions): string[] =>
  sessions
    .list()
    .map(({ session_id }) => session_id)
    .toSorted();

/** Another process does it until this is disposed of. */
async function touching({ layout }: Scratch): Promise<AsyncDisposable> {
  const program = join(import.meta.dir, "touch-and-list.ts");
  const child = Bun.spawn([process.execPath, program, layout.root, ...TOUCHED], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.getReader().read();
  expect(Buffer.from(value ?? []).toString()).toBe("listing\n");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
