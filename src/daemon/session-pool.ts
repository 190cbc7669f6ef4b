/** Every session that the daemon starts, whichever method asked for it, is started here: with the settings that count for it. */
import { quickOf } from "../config/quick-settings.ts";
import type { StartReply, StartRequest } from "../protocol/start-request.ts";
import type { CurrentSettings } from "./current-settings.ts";
import type { HolderEvents } from "./new-holder.ts";
import type { WarmPool } from "./warm-pool.ts";

export class SessionPool {
  readonly #holders: WarmPool;
  readonly #settings: CurrentSettings;

  constructor(holders: WarmPool, settings: CurrentSettings) {
    this.#holders = holders;
    this.#settings = settings;
  }

  get size(): number {
    return this.#holders.size;
  }

  start(request: StartRequest, events: HolderEvents): Promise<StartReply> {
    return this.#holders.start(this.#withDefaults(request), events);
  }

  #withDefaults(request: StartRequest): StartRequest {
    const settings = this.#settings.get();
    const usual = quickOf(settings);
    return {
      ...request,
      retention_seconds: request.retention_seconds ?? usual.retentionSeconds,
      max_output_bytes: request.max_output_bytes ?? usual.maxOutputBytes,
      max_clients: request.max_clients ?? usual.maxClients,
      log: request.log ?? usual.log,
    };
  }
}
