/** A daemon of the test's own, spoken to as any client would. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { childrenOf } from "../../src/platform/process/processes.ts";
import { errnoOf } from "../../src/protocol/types/errors.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

export async function withDaemon(work: (client: DaemonClient, bench: Bench) => Promise<void>): Promise<void> {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  try {
    using client = await dial(bench);
    await work(client, bench);
  } finally {
    await end(bench);
  }
}

export async function dial(bench: Bench): Promise<DaemonClient> {
  const client = await DaemonClient.dial(layoutAt(bench.state));
  if (client === null) throw new Error("no daemon listens");
  return client;
}

/** Kills the daemon, every session, and whatever else carries the bench's state directory. */
export async function end(bench: Bench): Promise<void> {
  // One that was just starting, too, takes the place of one that is killed.
  await until("no holder waits for a session any more", () => bench.killDaemons() && warmHolders(bench).length === 0);
  for (const left of bench.holders()) process.kill(left, "SIGTERM");
  await until("every session has ended", () => bench.killDaemons() && bench.holders().length === 0);
}

export function warmHolders(bench: Bench): number[] {
  // A holder that has finished waits for its next session.
  const open = bench.started().filter((id) => !existsSync(join(bench.state, "sessions", id, "final.json")));
  const busy = new Set(open.map((id) => holderOf(bench, id)));
  return bench.holders().filter((pid) => !busy.has(pid));
}

/** Null: retention was quicker. */
function holderOf(bench: Bench, id: string): number | null {
  try {
    return bench.meta(id).holder.pid;
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return null;
  }
}

/** The warm holders, once all three wait. */
export async function readyHolders(bench: Bench): Promise<number[]> {
  let waiting: number[] = [];
  await until("three wait", () => {
    const places = readdirSync(join(bench.state, "run")).filter((name) => /^berth-[0-9a-f]+$/.test(name));
    waiting = warmHolders(bench);
    return places.length === 3 && waiting.length === 3 && waiting.every((pid) => childrenOf(pid)?.length === 0);
  });
  return waiting;
}
