/** The daemon that runs, though its socket's name may have been removed: then it is asked for it. */
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import type { Layout } from "../../transcript/layout.ts";
import { askForSocket, UNREACHABLE_MS } from "./ask-for-socket.ts";
import { DaemonClient } from "./daemon-client.ts";
import { daemonProcess } from "./end-daemon.ts";

const LISTENS_AGAIN_MS = 2000;
const LOOK_MS = 10;

export type Reached =
  | { kind: "reached"; client: DaemonClient; wasMissing: boolean }
  /** It holds its lock, and does not listen although it was told. */
  | { kind: "deaf"; daemon: ProcessIdentity }
  | { kind: "none" };

/** Starts none. */
export async function reachDaemon(layout: Layout): Promise<Reached> {
  const began = performance.now();
  for (let askedAt: number | null = null; ; await Bun.sleep(LOOK_MS)) {
    const client = await DaemonClient.dial(layout);
    if (client !== null) return { kind: "reached", client, wasMissing: askedAt !== null };
    const daemon = daemonProcess(layout);
    const now = performance.now();
    if (daemon === null) return { kind: "none" };
    if (askedAt !== null && now > askedAt + LISTENS_AGAIN_MS) return { kind: "deaf", daemon };
    if (askedAt !== null || now < began + UNREACHABLE_MS) continue;
    askedAt = now;
    askForSocket(daemon);
  }
}
