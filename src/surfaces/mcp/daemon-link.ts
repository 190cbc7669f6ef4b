/**
 * The MCP server's connection to the daemon, which it outlives. A call that finds the connection
 * lost dials again or starts another daemon. A running call is repeated only when that is safe:
 * reads, waits and idempotent methods. The error of any other call says that it may have been
 * carried out.
 */
import type { DaemonClient } from "../../client/daemon/daemon-client.ts";
import { ensureDaemon } from "../../client/daemon/ensure-daemon.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { type Method, type Params, type Result, TABLE } from "../../protocol/methods/table.schema.ts";
import { DAEMON_LOST } from "../../protocol/wire/json-rpc.ts";

/** No call takes longer; a host that wants less cancels. */
const ANSWER_MS = 24 * 3600 * 1000;
/** Tries per call while daemons die. */
export const MAX_TRIES = 5;
/** Methods that change something, but nothing more when they are repeated. */
const IDEMPOTENT: ReadonlySet<string> = new Set<Method>([
  "session.stop",
  "session.kill",
  "session.resize",
  "session.rename",
  "exec.cancel",
  "fs.write_file",
]);

/** The methods of the protocol table, for tools. */
export interface Daemon {
  call<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>>;
  /** Like `call`, but never repeated: for callers that handle a lost daemon themselves. */
  callOnce<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Result<M>>;
}

/** Calls to the daemon under a correlation id. */
export interface DaemonCalls {
  withCorrelationId(correlationId: string): Daemon;
}

export class DaemonLink implements DaemonCalls, Disposable {
  readonly #sessions: LocalSessions;
  #client: Promise<DaemonClient> | null = null;
  #isDisposed = false;

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
    this.#isDisposed = true;
    void this.#client?.then((client) => client[Symbol.dispose]()).catch(() => {});
    this.#client = null;
  }

  async #connected(): Promise<DaemonClient> {
    for (;;) {
      if (this.#isDisposed) throw new HoltError("ECANCELED", "the client is gone");
      const pending = this.#client;
      const known = (await pending?.catch(() => null)) ?? null;
      if (known !== null && (await known.isAlive())) return known;
      if (this.#client !== pending) continue; // another call has already dialled
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

/** True when the daemon ended before it answered. */
export function isDaemonLost(error: unknown): error is HoltError {
  return error instanceof HoltError && error.code === "EIO" && error.message === DAEMON_LOST;
}

/** A repeated wait keeps its deadline. */
function withTimeLeft<P extends object>(params: P, began: number): P {
  const { timeout_ms } = params as { timeout_ms?: unknown };
  if (typeof timeout_ms !== "number") return params;
  return { ...params, timeout_ms: Math.max(0, Math.round(timeout_ms - (performance.now() - began))) };
}

function maybeCarriedOut(method: string): HoltError {
  return new HoltError("EIO", `the daemon died during ${method}, which may have been carried out`, {
    hint: "sessions survive: check with session.list, session.get or session.read before you repeat it",
  });
}
