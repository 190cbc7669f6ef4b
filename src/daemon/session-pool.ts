/** Every session that the daemon starts, whichever method asked for it, is started here: if the policy allows it, and with the settings that count for it. */
import type { Settings } from "../config/keys.ts";
import { quickOf, type QuickSettings } from "../config/quick-settings.ts";
import type { StartReply, StartRequest } from "../protocol/start-request.ts";
import type { Admission } from "./admission.ts";
import type { CurrentSettings } from "./current-settings.ts";
import type { HolderEvents } from "./new-holder.ts";
import type { WarmPool } from "./warm-pool.ts";

export interface PoolParts {
  holders: WarmPool;
  settings: CurrentSettings;
  admission: Admission;
}

export class SessionPool {
  readonly #holders: WarmPool;
  readonly #settings: CurrentSettings;
  readonly #admission: Admission;
  /** Of the settings that were asked for last. */
  #usual: { of: Settings; quick: QuickSettings } | null = null;

  constructor({ holders, settings, admission }: PoolParts) {
    this.#holders = holders;
    this.#settings = settings;
    this.#admission = admission;
  }

  get size(): number {
    return this.#holders.size;
  }

  /** Throws where the policy does not allow it. */
  async start(request: StartRequest, events: HolderEvents): Promise<StartReply> {
    const settings = this.#settings.get();
    const admission = this.#admission.admit(withDefaults(request, this.#usually(settings)));
    const { request: admitted, gone } = admission instanceof Promise ? await admission : admission;
    // What is started again ends with its holder; of anything else the holder has only to say its last word.
    const isOnce = (admitted.restart ?? null) === null;
    const told: HolderEvents = {
      ended(notice) {
        if (isOnce) gone();
        events.ended(notice);
      },
      gone() {
        gone();
        events.gone();
      },
    };
    try {
      const reply = this.#holders.start(admitted, told);
      this.#admission.prepareRecord();
      return await reply;
    } catch (error) {
      gone();
      throw error;
    }
  }

  #usually(settings: Settings): QuickSettings {
    if (this.#usual?.of !== settings) this.#usual = { of: settings, quick: quickOf(settings) };
    return this.#usual.quick;
  }
}

function withDefaults(request: StartRequest, usual: QuickSettings): StartRequest {
  return {
    ...request,
    retention_seconds: request.retention_seconds ?? usual.retentionSeconds,
    max_output_bytes: request.max_output_bytes ?? usual.maxOutputBytes,
    max_clients: request.max_clients ?? usual.maxClients,
    slow_client_ms: request.slow_client_ms ?? usual.slowClientMs,
    log: request.log ?? usual.log,
    cgroup: usual.cgroup,
  };
}
