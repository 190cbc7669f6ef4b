/** Rules for the clients attached to one session. `meta.json` records ClientRules alone. */
import type { InputSharing, SizeRule } from "./attach.ts";
import { SETTINGS, type SlowClient } from "../types/settings.ts";

export interface ClientRules {
  input: InputSharing;
  size_rule: SizeRule;
  max_clients: number;
}

export interface AttachRules extends ClientRules {
  slow_client: SlowClient;
  slow_client_ms: number;
}

export const DEFAULT_CLIENT_RULES: ClientRules = {
  input: "shared",
  size_rule: "smallest",
  max_clients: SETTINGS.max_clients.fallback,
};

export const DEFAULT_ATTACH_RULES: AttachRules = {
  ...DEFAULT_CLIENT_RULES,
  slow_client: SETTINGS.slow_client.fallback,
  slow_client_ms: SETTINGS.slow_client_ms.fallback,
};

/** Null for the defaults. */
export function nonDefaultRules({ input, size_rule, max_clients }: ClientRules): ClientRules | null {
  const isUsual =
    input === DEFAULT_CLIENT_RULES.input &&
    size_rule === DEFAULT_CLIENT_RULES.size_rule &&
    max_clients === DEFAULT_CLIENT_RULES.max_clients;
  return isUsual ? null : { input, size_rule, max_clients };
}
