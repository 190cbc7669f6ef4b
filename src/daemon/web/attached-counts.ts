/**
 * Counts of attached clients and their lag, for metrics. Holders are queried at most once a second,
 * however many scrapers there are.
 */
import { listAttachedClients } from "../../client/attach/attached-clients.ts";
import type { AttachedClientInfo } from "../../protocol/wire/attach.ts";
import type { Session } from "../../protocol/types/session.ts";

const VALID_MS = 1000;
/** Label prefix that HTTP gives its clients (surfaces/http/surface.ts). */
const WEB_LABEL = "web ";

export interface AttachedTotals {
  count: number;
  /** Bytes not yet sent to them. */
  lag: number;
  maxLag: number;
}

export type ByTransport = Readonly<Record<"unix" | "websocket", AttachedTotals>>;

interface AttachedSnapshot {
  attached: ByTransport;
  silent: number;
}

export class AttachedCounts {
  #last: { until: number; snapshot: Promise<AttachedSnapshot> } | null = null;

  snapshot(running: readonly Session[]): Promise<AttachedSnapshot> {
    const now = performance.now();
    if (this.#last === null || now >= this.#last.until)
      this.#last = { until: now + VALID_MS, snapshot: takeSnapshot(running) };
    return this.#last.snapshot;
  }
}

async function takeSnapshot(running: readonly Session[]): Promise<AttachedSnapshot> {
  const { clients, unanswered } = await listAttachedClients(running);
  const isWeb = ({ label }: AttachedClientInfo): boolean => label.startsWith(WEB_LABEL);
  const unix = summed(clients.filter((client) => !isWeb(client)));
  return { attached: { unix, websocket: summed(clients.filter(isWeb)) }, silent: unanswered };
}

function summed(clients: readonly AttachedClientInfo[]): AttachedTotals {
  const lags = clients.map(({ lag_bytes }) => lag_bytes);
  return { count: lags.length, lag: lags.reduce((sum, lag) => sum + lag, 0), maxLag: Math.max(0, ...lags) };
}
