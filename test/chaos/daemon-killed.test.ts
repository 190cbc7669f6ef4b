/** The daemon is killed again and again under sessions that print numbered lines: none of them notices. */
import { expect, test } from "bun:test";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { isAlive } from "./processes.ts";
import { inParallel, size, until } from "./size.ts";

const SESSIONS = size(8, 50);
const KILLS = size(8, 200);

/** Numbered lines until it is told to end, then its own exit code. */
const script = (number: number): string =>
  `i=0; until [ -e go-${number} ]; do i=$((i+1)); echo "line $i"; sleep 0.01; done; echo "end $i"; exit ${number + 1}`;

test(`${SESSIONS} sessions through ${KILLS} kills of the daemon: all alive, each line once, each exit code right`, async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  const ids = Array.from({ length: SESSIONS }, (_, i) => `s${i}`);
  await inParallel(SESSIONS, 4, async (i) => {
    const args = ["start", "--session-id", `s${i}`, "--no-pty", "--", "sh", "-c", script(i)];
    expect(await bench.run(args)).toMatchObject({ text: `s${i}\n`, exitCode: 0 });
  });
  const ended = new Set<number>();
  for (let kill = 0; kill < KILLS; kill++) {
    using client = await daemonOf(bench);
    const busy = [
      client.call("session.list", {}),
      client.call("session.wait", { session_id: `s${SESSIONS - 1}`, timeout_ms: 60_000 }),
    ];
    const pid = bench.daemonPid ?? 0;
    process.kill(pid, "SIGKILL");
    await Promise.allSettled(busy);
    await until("it is gone", () => !isAlive(pid));
    // Some end while there is no daemon.
    const next = Math.floor((kill * SESSIONS) / KILLS);
    if (!ended.has(next) && next < SESSIONS - 1) {
      ended.add(next);
      await Bun.write(`${bench.root}/go-${next}`, "");
    }
  }
  expect(ids.filter((_, i) => !ended.has(i)).every((id) => isAlive(bench.meta(id).process?.pid ?? 0))).toBe(true);
  for (const i of ids.keys()) await Bun.write(`${bench.root}/go-${i}`, "");
  using client = await daemonOf(bench);
  for (const [i, session_id] of ids.entries()) {
    expect(await client.call("session.wait", { session_id })).toMatchObject({ outcome: "exited", exit_code: i + 1 });
    const lines = bench.output(session_id).toString().trimEnd().split("\n");
    const last = lines.length - 1;
    expect(lines).toEqual([...Array.from({ length: last }, (_, n) => `line ${n + 1}`), `end ${last}`]);
  }
  await end(bench);
});

/** Whichever comes up. */
async function daemonOf(bench: Bench): Promise<DaemonClient> {
  const client = await bench.run(["daemon"]).then(() => DaemonClient.dial(layoutAt(bench.state)));
  if (client === null) throw new Error("no daemon listens");
  return client;
}
