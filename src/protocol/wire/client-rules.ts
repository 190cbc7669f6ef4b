/** How those who are attached share a session: all of it, and what its record has of it. */
import type { InputSharing, SizeRule } from "./attach.ts";
import { SETTINGS, type SlowClient } from "../types/settings.ts";

export interface ClientRules {
  input: InputSharing;
  size_rule: SizeRule;
  max_clients: number;
}

export interface Sharing extends ClientRules {
  slow_client: SlowClient;
  slow_client_ms: number;
}

export const USUAL_RULES: ClientRules = {
  input: "shared",
  size_rule: "smallest",
  max_clients: SETTINGS.max_clients.fallback,
};

export const USUAL_SHARING: Sharing = {
  ...USUAL_RULES,
  slow_client: SETTINGS.slow_client.fallback,
  slow_client_ms: SETTINGS.slow_client_ms.fallback,
};

/** Null where they are as usual. */
export function unusualRules({ input, size_rule, max_clients }: ClientRules): ClientRules | null {
  const isUsual =
    input === USUAL_RULES.input && size_rule === USUAL_RULES.size_rule && max_clients === USUAL_RULES.max_clients;
  return isUsual ? null : { input, size_rule, max_clients };
}
