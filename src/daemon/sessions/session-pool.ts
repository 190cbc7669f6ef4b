/**
 * Starts every session of the daemon, for any method: admits it, fills in the settings, and runs it
 * on a warm holder.
 */
import type { Settings } from "../../config/keys.ts";
import { quickSettingsFrom, type QuickSettings } from "../../config/quick-settings.ts";
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
  /**
   * Calls the listener once at the session's end, or at once if it has ended: a short command's end
   * may come with the answer.
   */
  onceEnded: OnceEnded;
}

/** Called at a session's end, with its final record if the holder sent it. */
export type EndListener = (final: Final | null) => void;

/** Returns a function that removes the listener. */
export type OnceEnded = (listener: EndListener) => () => void;

export class SessionPool {
  /** While set, no session is started. */
  isClosing = false;
  readonly #parts: PoolParts;
  /**
   * Listeners by running session started here. A promise per session would keep every waiter alive.
   */
  readonly #listeners = new Map<string, Set<EndListener>>();
  /** Derived from the settings of the last start. */
  #lastSettings: { of: Settings; quick: QuickSettings } | null = null;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Warm holders. */
  get size(): number {
    return this.#parts.holders.size;
  }

  /** Null if the session was not started here or has ended. */
  endOf(sessionId: string): OnceEnded | null {
    const listeners = this.#listeners.get(sessionId);
    if (listeners === undefined) return null;
    return (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
  }

  /**
   * Completes the request, and returns when the spawn's outcome is known. Throws if the policy
   * denies it.
   */
  async start(request: StartRequest): Promise<Started> {
    if (this.isClosing)
      throw new HoltError("EBUSY", "the daemon is stopping every session", { hint: "try again later" });
    const id = (request.session_id ??= newSessionId());
    const { onceEnded, notifyEnd } = this.#registerListeners(id);
    let release = (): void => {};
    const gone = (): void => {
      release();
      notifyEnd(null);
    };
    // A restarting session ends with its holder; any other with its final record.
    const isOnce = (request.restart ?? null) === null;
    const events: HolderEvents = {
      ended({ ended, final = null }) {
        if (isOnce) release();
        if (ended === id) notifyEnd(final);
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
      throw holderError(error);
    }
    if ("error" in reply) throw startError(reply);
    return { meta: reply.meta, onceEnded };
  }

  /**
   * Registered before the start, so that a wait can follow at once. A duplicate id keeps its
   * listeners.
   */
  #registerListeners(id: string): { onceEnded: OnceEnded; notifyEnd: EndListener } {
    const listeners = new Set<EndListener>();
    let ended: { final: Final | null } | null = null;
    if (!this.#listeners.has(id)) this.#listeners.set(id, listeners);
    const notifyEnd = (final: Final | null): void => {
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
    return { onceEnded, notifyEnd };
  }

  /** Fills in configured values that the caller did not set. */
  #fillIn(request: StartRequest): void {
    const settings = this.#parts.settings.get();
    if (this.#lastSettings?.of !== settings) this.#lastSettings = { of: settings, quick: quickSettingsFrom(settings) };
    const { retentionSeconds, maxOutputBytes, maxClients, slowClientMs, log, cgroup } = this.#lastSettings.quick;
    request.retention_seconds ??= retentionSeconds;
    request.max_output_bytes ??= maxOutputBytes;
    request.max_clients ??= maxClients;
    request.slow_client_ms ??= slowClientMs;
    request.log ??= log;
    request.cgroup = cgroup;
  }
}

/**
 * The daemon lacks descriptors, processes or its executable; a start without the daemon may work.
 */
function holderError(error: unknown): HoltError {
  if (error instanceof HoltError) return error; // a startError, not a failure
  const why = error instanceof Error ? error.message : String(error);
  return new HoltError("EBUSY", `the daemon cannot start a holder: ${why}`, {
    hint: "start it without the daemon; `holt daemon restart` may help",
    details: { cold: true },
    cause: error,
  });
}

function startError({ error, exit_code, is_unheard }: Extract<StartReply, { error: object }>): HoltError {
  const { code, message, hint } = error;
  return new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, {
    details: { exit_code, ...(is_unheard === true ? { cold: true } : {}) },
    ...(hint === null ? {} : { hint }),
  });
}
