import type { InputSharing, SizeRule } from "../protocol/attach.ts";
import { USUAL_RULES } from "../protocol/client-rules.ts";
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
  maxClients: USUAL_RULES.max_clients,
  sizeRule: USUAL_RULES.size_rule,
  input: USUAL_RULES.input,
  slowClient: SETTINGS.slow_client.fallback,
  slowClientMs: SETTINGS.slow_client_ms.fallback,
};
