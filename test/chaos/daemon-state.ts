import { readdirSync } from "node:fs";
import type { DaemonClient } from "../../src/client/daemon-client.ts";
import { privateMemory } from "./processes.ts";
import { size } from "./size.ts";

const LOOKS = size(20, 60);

export interface DaemonState {
  /** Private, in kB. */
  memory: number;
  fds: number;
}

/** The least of many looks, with a little work in between, so that garbage is collected. */
export async function daemonState(pid: number, client: DaemonClient): Promise<DaemonState> {
  const least: DaemonState = { memory: Number.POSITIVE_INFINITY, fds: Number.POSITIVE_INFINITY };
  for (let look = 0; look < LOOKS; look++) {
    for (let call = 0; call < 20; call++) await client.call("session.list", { limit: 1 });
    await Bun.sleep(25);
    least.memory = Math.min(least.memory, privateMemory(pid));
    least.fds = Math.min(least.fds, readdirSync(`/proc/${pid}/fd`).length);
  }
  return least;
}
