import type { InputSharing, SizeRule } from "../protocol/attach.ts";
import { SETTINGS, type SlowClient } from "../protocol/settings.ts";

/** How several share a session. */
export interface Sharing {
  maxClients: number;
  sizeRule: SizeRule;
  input: InputSharing;
  slowClient: SlowClient;
  slowClientMs: number;
}

export const DEFAULT_SHARING: Sharing = {
  maxClients: SETTINGS.max_clients.fallback,
  sizeRule: "smallest",
  input: "shared",
  slowClient: SETTINGS.slow_client.fallback,
  slowClientMs: SETTINGS.slow_client_ms.fallback,
};
