/** Who is attached to what lives, and how far behind, for whoever scrapes: however many do, the holders are asked at most once a second. */
import { listAttachedClients } from "../../client/attach/attached-clients.ts";
import type { AttachedClientInfo } from "../../protocol/wire/attach.ts";
import type { Session } from "../../protocol/types/session.ts";

const GOOD_MS = 1000;
/** As HTTP names those that it lets in (surfaces/http/surface.ts). */
const OVER_WEBSOCKET = "web ";

export interface AttachedTotals {
  count: number;
  /** Bytes that they have yet to be sent. */
  lag: number;
  mostLag: number;
}

export type ByTransport = Readonly<Record<"unix" | "websocket", AttachedTotals>>;

interface AttachedSnapshot {
  attached: ByTransport;
  silent: number;
}

export class AttachedCounts {
  #last: { until: number; looked: Promise<AttachedSnapshot> } | null = null;

  look(living: readonly Session[]): Promise<AttachedSnapshot> {
    const now = performance.now();
    if (this.#last === null || now >= this.#last.until) this.#last = { until: now + GOOD_MS, looked: ask(living) };
    return this.#last.looked;
  }
}

async function ask(living: readonly Session[]): Promise<AttachedSnapshot> {
  const { clients, unanswered: silent } = await listAttachedClients(living);
  const isWeb = ({ label }: AttachedClientInfo): boolean => label.startsWith(OVER_WEBSOCKET);
  const unix = summed(clients.filter((client) => !isWeb(client)));
  return { attached: { unix, websocket: summed(clients.filter(isWeb)) }, silent };
}

function summed(clients: readonly AttachedClientInfo[]): AttachedTotals {
  const lags = clients.map(({ lag_bytes }) => lag_bytes);
  return { count: lags.length, lag: lags.reduce((sum, lag) => sum + lag, 0), mostLag: Math.max(0, ...lags) };
}
