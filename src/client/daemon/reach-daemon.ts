/**
 * Connects to the running daemon, and makes it bind its socket again if the socket's name is
 * missing.
 */
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import type { Layout } from "../../transcript/layout.ts";
import { signalDaemonToRebind, REBIND_AFTER_MS } from "./rebind-signal.ts";
import { DaemonClient } from "./daemon-client.ts";
import { daemonProcess } from "./end-daemon.ts";

const REBIND_TIMEOUT_MS = 2000;
const POLL_MS = 10;

export type ReachResult =
  | { kind: "reached"; client: DaemonClient; wasRebound: boolean }
  /** It holds the lock, and did not bind its socket after the signal. */
  | { kind: "not_listening"; daemon: ProcessIdentity }
  | { kind: "none" };

/** Never starts a daemon. */
export async function reachDaemon(layout: Layout): Promise<ReachResult> {
  const startedAt = performance.now();
  for (let signalledAt: number | null = null; ; await Bun.sleep(POLL_MS)) {
    const client = await DaemonClient.dial(layout);
    if (client !== null) return { kind: "reached", client, wasRebound: signalledAt !== null };
    const daemon = daemonProcess(layout);
    const now = performance.now();
    if (daemon === null) return { kind: "none" };
    if (signalledAt !== null && now > signalledAt + REBIND_TIMEOUT_MS) return { kind: "not_listening", daemon };
    if (signalledAt !== null || now < startedAt + REBIND_AFTER_MS) continue;
    signalledAt = now;
    signalDaemonToRebind(daemon);
  }
}
