import { readdirSync, readlinkSync } from "node:fs";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { privateMemory } from "./processes.ts";
import { size } from "./size.ts";

const LOOKS = size(20, 60);
/** Until it has all its warm holders. */
const MOST_LOOKS = 1000;
export const WARM_HOLDERS = 3;

export interface DaemonState {
  /** Private, in kB. */
  memory: number;
  fds: number;
  /** What they lead to. */
  open: string[];
}

/** The least of many looks, with a little work in between, so that garbage is collected. Descriptors are counted while no warm holder is on its way: each is one. */
export async function daemonState(pid: number, client: DaemonClient): Promise<DaemonState> {
  const least: DaemonState = { memory: Number.POSITIVE_INFINITY, fds: Number.POSITIVE_INFINITY, open: [] };
  for (let look = 0; look < LOOKS || (least.open.length === 0 && look < MOST_LOOKS); look++) {
    for (let call = 0; call < 20; call++) await client.call("session.list", { limit: 1 });
    await Bun.sleep(25);
    least.memory = Math.min(least.memory, privateMemory(pid));
    const { warm } = await client.call("health.info", {});
    const open = openIn(pid);
    if (warm === WARM_HOLDERS && open.length < least.fds) Object.assign(least, { fds: open.length, open });
  }
  if (least.open.length === 0) throw new Error(`it never had its ${WARM_HOLDERS} warm holders`);
  return least;
}

function openIn(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return `${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`;
    } catch {
      return `${fd} closed meanwhile`;
    }
  });
}
