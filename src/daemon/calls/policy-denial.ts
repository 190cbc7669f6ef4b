/** What the policy does not allow, as whoever called hears of it. */
import type { Decision } from "../../policy/policy.ts";
import { HoltError } from "../../protocol/types/errors.ts";

export function denial({ rule, why, kind, hint }: Pick<Decision, "rule" | "why" | "kind" | "hint">): HoltError {
  return new HoltError(kind === "limit" ? "ERLIMIT" : "EDENIED", `not allowed by ${rule}: ${why}`, {
    hint: hint ?? "the policy is the user's: `holt config show --origin` says where it stands",
    details: { rule },
  });
}

export function limitExceeded(rule: string, why: string): HoltError {
  return denial({ rule, why, kind: "limit" });
}
