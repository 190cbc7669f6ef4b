/** Errors for calls that the policy denies. */
import type { Decision } from "../../policy/policy.ts";
import { HoltError } from "../../protocol/types/errors.ts";

export function policyDenial({ rule, why, kind, hint }: Pick<Decision, "rule" | "why" | "kind" | "hint">): HoltError {
  return new HoltError(kind === "limit" ? "ERLIMIT" : "EDENIED", `not allowed by ${rule}: ${why}`, {
    hint: hint ?? "the user sets the policy: `holt config show --origin` shows where",
    details: { rule },
  });
}

export function limitExceeded(rule: string, why: string): HoltError {
  return policyDenial({ rule, why, kind: "limit" });
}
