import { readdirSync, readlinkSync } from "node:fs";
import type { DaemonClient } from "../../src/client/daemon-client.ts";
import { privateMemory } from "./processes.ts";
import { size } from "./size.ts";

const LOOKS = size(20, 60);

export interface DaemonState {
  /** Private, in kB. */
  memory: number;
  fds: number;
  /** What they lead to. */
  open: string[];
}

/** Of many looks, with a little work in between, so that garbage is collected: the least memory, and as many descriptors as are open most of the time (a warm holder may be on its way). */
export async function daemonState(pid: number, client: DaemonClient): Promise<DaemonState> {
  const memory: number[] = [];
  const looks: string[][] = [];
  for (let look = 0; look < LOOKS; look++) {
    for (let call = 0; call < 20; call++) await client.call("session.list", { limit: 1 });
    await Bun.sleep(25);
    memory.push(privateMemory(pid));
    looks.push(openIn(pid));
  }
  const open = looks.toSorted((a, b) => a.length - b.length)[LOOKS / 2] ?? [];
  return { memory: Math.min(...memory), fds: open.length, open };
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
