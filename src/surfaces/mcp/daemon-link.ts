/**
 * The daemon, for a server that outlives it: a call that finds the connection lost dials again, or starts another daemon. A call that was under way
 * when it was lost is not repeated, since it may have been carried out; its error says so.
 */
import type { DaemonClient } from "../../client/daemon-client.ts";
import { ensureDaemon } from "../../client/ensure-daemon.ts";
import type { LocalSessions } from "../../client/local-sessions.ts";
import type { Method, Params, Result } from "../../protocol/table.schema.ts";

/** No call takes longer: a host that wants less cancels. */
const ANSWER_MS = 24 * 3600 * 1000;

export class DaemonLink implements Disposable {
  readonly #sessions: LocalSessions;
  #client: Promise<DaemonClient> | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  async call<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>> {
    const client = await this.#connected();
    return client.call(method, params, { signal, answerMs: ANSWER_MS });
  }

  [Symbol.dispose](): void {
    void this.#client?.then((client) => client[Symbol.dispose]()).catch(() => {});
    this.#client = null;
  }

  async #connected(): Promise<DaemonClient> {
    for (;;) {
      const asked = this.#client;
      const known = (await asked?.catch(() => null)) ?? null;
      if (known !== null && (await known.isThere())) return known;
      if (this.#client !== asked) continue; // another call has found the same, and dialled
      known?.retire();
      this.#sessions.prepare();
      this.#client = ensureDaemon(this.#sessions.layout);
      return this.#client;
    }
  }
}
