/** Every session that the daemon starts, whichever method asked for it: admitted by the policy, with the settings in force, on a holder of the warm pool. */
import type { Settings } from "../../config/keys.ts";
import { quickOf, type QuickSettings } from "../../config/quick-settings.ts";
import { HoltError, isErrorCode } from "../../protocol/types/errors.ts";
import { newSessionId } from "../../protocol/types/session-id.ts";
import type { Final, Meta } from "../../protocol/types/session.ts";
import type { StartReply, StartRequest } from "../../protocol/wire/start-request.ts";
import type { Admission } from "./admission.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { HolderEvents } from "./new-holder.ts";
import type { OutputTotal } from "./output-total.ts";
import type { WarmPool } from "./warm-pool.ts";

export interface PoolParts {
  holders: WarmPool;
  settings: CurrentSettings;
  admission: Admission;
  outputs: OutputTotal;
}

export interface Started {
  meta: Meta;
  /** Calls the listener once, at the end, or at once where that is over: a short command's end may come with the answer. */
  onceEnded: OnceEnded;
}

/** Called at the end of a session, with its last word if the holder sent it. */
export type EndListener = (final: Final | null) => void;

/** Returns how to forget the listener. */
export type OnceEnded = (listener: EndListener) => () => void;

export class SessionPool {
  /** While set, no session is started. */
  isClosing = false;
  readonly #parts: PoolParts;
  /** By session that was started here and lives. No promise: that would keep everything that ever waited. */
  readonly #listeners = new Map<string, Set<EndListener>>();
  /** Of the settings that were asked for last. */
  #usual: { of: Settings; quick: QuickSettings } | null = null;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Warm holders. */
  get size(): number {
    return this.#parts.holders.size;
  }

  /** Null when the session was not started here, or is over. */
  endOf(sessionId: string): OnceEnded | null {
    const listeners = this.#listeners.get(sessionId);
    if (listeners === undefined) return null;
    return (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
  }

  /** Completes the request. Answers once the outcome of the spawn is known; throws where the policy does not allow it. */
  async start(request: StartRequest): Promise<Started> {
    if (this.isClosing)
      throw new HoltError("EBUSY", "the daemon is stopping every session", { hint: "try again later" });
    const id = (request.session_id ??= newSessionId());
    const { onceEnded, over } = this.#expect(id);
    let release = (): void => {};
    const gone = (): void => {
      release();
      over(null);
    };
    // A session that is started again ends with its holder; any other ends with its last word.
    const isOnce = (request.restart ?? null) === null;
    const events: HolderEvents = {
      ended({ ended, final = null }) {
        if (isOnce) release();
        if (ended === id) over(final);
      },
      gone,
    };
    let reply: StartReply;
    try {
      this.#fillIn(request);
      const admitted = this.#parts.admission.admit(request);
      release = admitted instanceof Promise ? await admitted : admitted;
      reply = await this.#parts.holders.start(request, id, events);
    } catch (error) {
      gone();
      throw noHolder(error);
    }
    if ("error" in reply) throw refusal(reply);
    return { meta: reply.meta, onceEnded };
  }

  /** From before the start, so that a wait may come right behind it. An id that is taken keeps its listeners. */
  #expect(id: string): { onceEnded: OnceEnded; over: EndListener } {
    const listeners = new Set<EndListener>();
    let ended: { final: Final | null } | null = null;
    if (!this.#listeners.has(id)) this.#listeners.set(id, listeners);
    const over = (final: Final | null): void => {
      ended ??= { final };
      if (final !== null) this.#parts.outputs.ended(final);
      if (this.#listeners.get(id) === listeners) this.#listeners.delete(id);
      for (const listener of listeners) listener(final);
      listeners.clear();
    };
    const onceEnded: OnceEnded = (listener) => {
      if (ended === null) listeners.add(listener);
      else listener(ended.final);
      return () => void listeners.delete(listener);
    };
    return { onceEnded, over };
  }

  /** With what is configured, where the caller asked for nothing else. */
  #fillIn(request: StartRequest): void {
    const settings = this.#parts.settings.get();
    if (this.#usual?.of !== settings) this.#usual = { of: settings, quick: quickOf(settings) };
    const { retentionSeconds, maxOutputBytes, maxClients, slowClientMs, log, cgroup } = this.#usual.quick;
    request.retention_seconds ??= retentionSeconds;
    request.max_output_bytes ??= maxOutputBytes;
    request.max_clients ??= maxClients;
    request.slow_client_ms ??= slowClientMs;
    request.log ??= log;
    request.cgroup = cgroup;
  }
}

/** The daemon's own want: of descriptors, of processes, or of its executable, which was removed. The caller may do better. */
function noHolder(error: unknown): HoltError {
  if (error instanceof HoltError) return error; // it is not to be started at all
  const why = error instanceof Error ? error.message : String(error);
  return new HoltError("EBUSY", `the daemon cannot start a holder: ${why}`, {
    hint: "start it without the daemon; `holt daemon restart` may help",
    details: { cold: true },
    cause: error,
  });
}

function refusal({ error, exit_code, is_unheard }: Extract<StartReply, { error: object }>): HoltError {
  const { code, message, hint } = error;
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, {
    details: { exit_code, ...(is_unheard === true ? { cold: true } : {}) },
    ...(hint === null ? {} : { hint }),
  });
}
