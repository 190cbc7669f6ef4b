/** How those who are attached share a session, as its record has it. */
import type { InputSharing, SizeRule } from "./attach.ts";
import { SETTINGS } from "./settings.ts";

export interface ClientRules {
  input: InputSharing;
  size_rule: SizeRule;
  max_clients: number;
}

export const USUAL_RULES: ClientRules = {
  input: "shared",
  size_rule: "smallest",
  max_clients: SETTINGS.max_clients.fallback,
};

/** Null where they are as usual. */
export function unusualRules({
  input,
  size_rule,
  max_clients = USUAL_RULES.max_clients,
}: Omit<ClientRules, "max_clients"> & { max_clients?: number | undefined }): ClientRules | null {
  const isUsual =
    input === USUAL_RULES.input && size_rule === USUAL_RULES.size_rule && max_clients === USUAL_RULES.max_clients;
  return isUsual ? null : { input, size_rule, max_clients };
}
