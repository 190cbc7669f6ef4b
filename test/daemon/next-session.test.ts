/**
 * A holder that has finished takes the next session. Nothing of one session may be seen in the next: random pairs of sessions run on one holder and on two, and everything
 * that can be observed of the second is compared.
 */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import type { Params } from "../../src/protocol/methods/table.schema.ts";
import { isAlive } from "../chaos/processes.ts";
import { size, until } from "../chaos/size.ts";
import type { Bench } from "../support/holt.ts";
import { readyHolders, withDaemon } from "./household.ts";

type Start = Params<"session.start">;

const PAIRS = size(6, 60);

/** Everything that a process inherits, and what its terminal is like. */
const PROBE = `
  env | grep -v '^\\(_\\|HOLT_SESSION_ID\\)=' | LC_ALL=C sort
  pwd; umask; ulimit -a; ulimit -Ha
  grep -E '^(Sig(Blk|Ign)|Cap|Seccomp|NoNewPrivs|Uid|Gid|Groups|Threads)' /proc/self/status
  ls /proc/self/fd; cat /proc/self/oom_score_adj /proc/self/cgroup; nice
  [ -t 0 ] && stty -a
  echo ready; read -r line; echo "[$line]"
`;

/** What a first session may do to whatever is left of it. */
const DEEDS = [
  "exit 3",
  "kill -9 $$",
  "yes | head -c 60000",
  "printf '\\033]2;title\\007\\033[?1049h\\033[?2004h\\033[31m'",
  "trap '' TERM HUP INT; echo ready; read -r line; echo $line",
  "cd /; umask 0; ulimit -n 20; exec 9>/dev/null",
  "stty raw -echo 2>/dev/null; echo ready; printf '\\033[c'",
];

const context = fc.record({
  pty: fc.constantFrom<Start["pty"]>(false, { cols: 80, rows: 24 }, { cols: 133, rows: 7 }),
  cwd: fc.constantFrom("one", "two"),
  env: fc.constantFrom<Record<string, string>>({}, { FIRST: "1" }, { SECOND: "two words", TERM: "vt100" }),
  name: fc.constantFrom(undefined, "a-name"),
  max_output_bytes: fc.constantFrom(undefined, 100_000),
  limits: fc.constantFrom<Start["limits"]>(undefined, { files: 50 }),
});

test("a session on a holder that had another one is as one on a holder of its own", async () => {
  await withDaemon(async (client, bench) => {
    for (const name of ["one", "two"]) mkdirSync(join(bench.root, name));
    const pair = fc.tuple(context, fc.constantFrom(...DEEDS), context);
    await fc.assert(
      fc.asyncProperty(pair, async ([first, deed, second]) => {
        await renewed(bench);
        const fresh = await ran(client, bench, second, PROBE);
        await renewed(bench);
        const before = await ran(client, bench, first, deed);
        const after = await ran(client, bench, second, PROBE);
        expect(after.holder).toBe(before.holder);
        expect(after.holder).not.toBe(fresh.holder);
        expect(after.seen).toEqual(fresh.seen);
      }),
      { numRuns: PAIRS, endOnFailure: true }, // to shrink one takes minutes, at whose limit it would go unsaid
    );
  });
});

test("a holder that has loaded an emulator is not used again", async () => {
  await withDaemon(async (client, bench) => {
    mkdirSync(join(bench.root, "one"));
    const asks: Start = { pty: { cols: 80, rows: 24 }, cwd: "one" };
    const before = await ran(client, bench, asks, "stty raw -echo; printf '\\033[6n'; head -c 6 | od -c");
    expect(isAlive(before.holder)).toBe(false);
  });
});

/** No holder that waits has had a session. */
async function renewed(bench: Bench): Promise<void> {
  const old = await readyHolders(bench);
  for (const pid of old) process.kill(pid, "SIGTERM");
  await until("they are gone", () => !old.some(isAlive));
  await bench.run(["gc"]); // removes what had been made ready for their sessions
  await until("others wait", async () => (await readyHolders(bench)).every((pid) => !old.includes(pid)));
}

interface Ran {
  holder: number;
  /** What can be observed of it, without what is another in each session. */
  seen: unknown;
}

/** A session whose command may read one line, from its start to its end. */
async function ran(client: DaemonClient, bench: Bench, { cwd, ...start }: Start, script: string): Promise<Ran> {
  const { session_id } = await client.call("session.start", {
    ...start,
    argv: ["sh", "-c", script],
    cwd: join(bench.root, String(cwd)),
  });
  await client.call("session.wait", { session_id, until: { match: "ready" } }); // or it has ended
  await client.call("session.send", { session_id, text: "a line\n" }).catch(() => {});
  await client.call("session.wait", { session_id, until: "exit" });
  const { holder, ...meta } = bench.meta(session_id);
  await until("it waits for its next session, or is gone", async () => {
    const waits = (await readyHolders(bench)).includes(holder.pid) || !isAlive(holder.pid);
    return waits && (await client.call("health.info", {})).warm === 3;
  });
  const screen = await client.call("session.read", { session_id, view: "screen" }).catch(String);
  const kept = { meta, final: bench.final(session_id), events: bench.events(session_id), screen };
  const output = bench.output(session_id).toString("latin1");
  return { holder: holder.pid, seen: { output: output.replaceAll(session_id, "ID"), ...comparable(kept, session_id) } };
}

const OWN =
  /^(?:at|t|time|pid|start_time|process|socket|duration_ms|usage|ended_uptime|since|cursor|.*_at|cpu.*|user_.*|system_.*|max_rss.*)$/;

function comparable(kept: object, id: string): object {
  const text = JSON.stringify(kept, (key, value: unknown) => (OWN.test(key) && value !== null ? "own" : value));
  return JSON.parse(text.replaceAll(id, "ID")) as object;
}
