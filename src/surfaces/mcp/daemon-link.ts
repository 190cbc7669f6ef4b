/**
 * The daemon, for a server that outlives it: a call that finds the connection lost dials again, or starts another daemon. So does a call that was under
 * way, where to do it twice is to do it once: looking and waiting, a stop, a whole file. Any other may have been carried out, and its error says so.
 */
import type { DaemonClient } from "../../client/daemon/daemon-client.ts";
import { ensureDaemon } from "../../client/daemon/ensure-daemon.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { type Method, type Params, type Result, TABLE } from "../../protocol/methods/table.schema.ts";
import { DAEMON_LOST } from "../../protocol/wire/json-rpc.ts";

/** No call takes longer: a host that wants less cancels. */
const ANSWER_MS = 24 * 3600 * 1000;
/** A daemon that dies again and again is not worth more. */
export const MAX_TRIES = 5;
/** They change something, and a second time nothing more. */
const IDEMPOTENT: ReadonlySet<string> = new Set<Method>([
  "session.stop",
  "session.kill",
  "session.resize",
  "session.rename",
  "exec.cancel",
  "fs.write_file",
]);

/** The table's methods, for tools. */
export interface Daemon {
  call<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>>;
  /** The same, never repeated: for whoever knows what to do when the daemon is lost meanwhile. */
  callOnce<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>>;
}

/** The daemon, for calls that it is to know by a correlation id. */
export interface DaemonCalls {
  withCorrelationId(correlationId: string): Daemon;
}

export class DaemonLink implements DaemonCalls, Disposable {
  readonly #sessions: LocalSessions;
  #client: Promise<DaemonClient> | null = null;
  #isOver = false;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  withCorrelationId(correlationId: string): Daemon {
    const once: Daemon["callOnce"] = async (method, params, signal) => {
      const client = await this.#connected();
      return client.call(method, params, { signal, answerMs: ANSWER_MS, correlationId });
    };
    return { callOnce: once, call: (method, params, signal) => callWithRetry(once, method, params, signal) };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    void this.#client?.then((client) => client[Symbol.dispose]()).catch(() => {});
    this.#client = null;
  }

  async #connected(): Promise<DaemonClient> {
    for (;;) {
      if (this.#isOver) throw new HoltError("ECANCELED", "the client has gone");
      const asked = this.#client;
      const known = (await asked?.catch(() => null)) ?? null;
      if (known !== null && (await known.isAlive())) return known;
      if (this.#client !== asked) continue; // another call has found the same, and dialled
      known?.closeWhenIdle();
      this.#sessions.prepare();
      this.#client = ensureDaemon(this.#sessions.layout);
      return this.#client;
    }
  }
}

async function callWithRetry<M extends Method>(
  once: Daemon["callOnce"],
  method: M,
  params: Params<M>,
  signal: AbortSignal,
): Promise<Result<M>> {
  const isRepeatable = TABLE.get(method)?.effect === "read" || IDEMPOTENT.has(method);
  const began = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return await once(method, tries === 1 ? params : withTimeLeft(params, began), signal);
    } catch (error) {
      if (!isDaemonLost(error)) throw error;
      if (!isRepeatable) throw maybeCarriedOut(method);
      if (tries === MAX_TRIES || signal.aborted) throw error;
    }
  }
}

/** The daemon went before it had answered. */
export function isDaemonLost(error: unknown): error is HoltError {
  return error instanceof HoltError && error.code === "EIO" && error.message === DAEMON_LOST;
}

/** A wait that begins anew is not to last longer for it. */
function withTimeLeft<P extends object>(params: P, began: number): P {
  const { timeout_ms } = params as { timeout_ms?: unknown };
  if (typeof timeout_ms !== "number") return params;
  return { ...params, timeout_ms: Math.max(0, Math.round(timeout_ms - (performance.now() - began))) };
}

function maybeCarriedOut(method: string): HoltError {
  return new HoltError("EIO", `the daemon died during ${method}, which may have been carried out`, {
    hint: "sessions live on: look with session.list, session.get or session.read before you do it again",
  });
}
