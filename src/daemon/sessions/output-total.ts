/**
 * How much sessions have printed, all together: a number that only grows. What lives is looked at when somebody asks; what ends here is told, so that it counts also
 * when it came and went in between. Of a session that another started, and that nobody asked about while it lived, nothing is known.
 */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { Final, Session } from "../../protocol/types/session.ts";

/** That may still be listed as living a moment later. */
const MOST_OVER = 1000;

export class OutputTotal {
  readonly #living = new Map<string, number>();
  readonly #over = new Set<string>();
  #past = 0;

  ended({ session_id, output_bytes }: Pick<Final, "session_id" | "output_bytes">): void {
    this.#past += output_bytes;
    this.#living.delete(session_id);
    this.#over.add(session_id);
    const [oldest] = this.#over;
    if (this.#over.size > MOST_OVER && oldest !== undefined) this.#over.delete(oldest);
  }

  /** With these alive. */
  bytes(living: readonly Session[], sessions: Pick<LocalSessions, "find">): number {
    const seen = new Map(living.map(({ session_id, output_bytes }) => [session_id, output_bytes]));
    for (const [id, bytes] of this.#living)
      if (!seen.has(id)) this.ended({ session_id: id, output_bytes: sessions.find(id)?.output_bytes ?? bytes });
    for (const [id, bytes] of seen)
      if (!this.#over.has(id)) this.#living.set(id, Math.max(bytes, this.#living.get(id) ?? 0));
    return this.#past + this.#living.values().reduce((sum, bytes) => sum + bytes, 0);
  }
}
