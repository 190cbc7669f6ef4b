/**
 * Total output of all sessions, a counter that only grows. Running sessions are read on each query;
 * ended ones are added by their notices, so short sessions count too. Sessions of other daemons
 * that ended between two queries are not seen.
 */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { Final, Session } from "../../protocol/types/session.ts";

/** Ended sessions that may still be listed as running for a moment. */
const MAX_ENDED = 1000;

export class OutputTotal {
  readonly #running = new Map<string, number>();
  readonly #ended = new Set<string>();
  #past = 0;

  ended({ session_id, output_bytes }: Pick<Final, "session_id" | "output_bytes">): void {
    this.#past += output_bytes;
    this.#running.delete(session_id);
    this.#ended.add(session_id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** The total, given the running sessions. */
  bytes(running: readonly Session[], sessions: Pick<LocalSessions, "find">): number {
    const seen = new Map(running.map(({ session_id, output_bytes }) => [session_id, output_bytes]));
    for (const [id, bytes] of this.#running)
      if (!seen.has(id)) this.ended({ session_id: id, output_bytes: sessions.find(id)?.output_bytes ?? bytes });
    for (const [id, bytes] of seen)
      if (!this.#ended.has(id)) this.#running.set(id, Math.max(bytes, this.#running.get(id) ?? 0));
    return this.#past + this.#running.values().reduce((sum, bytes) => sum + bytes, 0);
  }
}
