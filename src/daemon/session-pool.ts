/** Every session that the daemon starts, whichever method asked for it, is started here: if the policy allows it, and with the settings that count for it. */
import type { Settings } from "../config/keys.ts";
import { quickOf } from "../config/quick-settings.ts";
import type { StartReply, StartRequest } from "../protocol/start-request.ts";
import type { CurrentSettings } from "./current-settings.ts";
import type { Gate } from "./gate.ts";
import type { HolderEvents } from "./new-holder.ts";
import type { WarmPool } from "./warm-pool.ts";

export interface PoolParts {
  holders: WarmPool;
  settings: CurrentSettings;
  gate: Gate;
}

export class SessionPool {
  readonly #holders: WarmPool;
  readonly #settings: CurrentSettings;
  readonly #gate: Gate;

  constructor({ holders, settings, gate }: PoolParts) {
    this.#holders = holders;
    this.#settings = settings;
    this.#gate = gate;
  }

  get size(): number {
    return this.#holders.size;
  }

  /** Throws where the policy does not allow it. */
  async start(request: StartRequest, events: HolderEvents): Promise<StartReply> {
    const settings = this.#settings.get();
    const admitted = this.#gate.admit(withDefaults(request, settings), settings);
    const reply = this.#holders.start(admitted instanceof Promise ? await admitted : admitted, events);
    this.#gate.prepareRecord();
    return reply;
  }
}

function withDefaults(request: StartRequest, settings: Settings): StartRequest {
  const usual = quickOf(settings);
  return {
    ...request,
    retention_seconds: request.retention_seconds ?? usual.retentionSeconds,
    max_output_bytes: request.max_output_bytes ?? usual.maxOutputBytes,
    max_clients: request.max_clients ?? usual.maxClients,
    log: request.log ?? usual.log,
  };
}
