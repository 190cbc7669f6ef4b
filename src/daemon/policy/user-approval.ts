/** Asks the user to approve a call, and fails the call unless they do. */
import type { Decision } from "../../policy/policy.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Effect } from "../../protocol/methods/rows/row.schema.ts";
import type { ApprovalQueue, ApprovalDetails } from "./approval-queue.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { othersVerdict } from "./rules.ts";

export class UserApproval {
  readonly #settings: CurrentSettings;
  readonly #queue: ApprovalQueue;

  constructor(settings: CurrentSettings, queue: ApprovalQueue) {
    this.#settings = settings;
    this.#queue = queue;
  }

  /** Returns once the user approves. */
  async ask(call: CallRecord, details: ApprovalDetails, { rule, why }: Pick<Decision, "rule" | "why">): Promise<void> {
    const { caller, method, from } = call;
    const ms = this.#settings.lastValid["timeouts.approval_ms"];
    const { id, outcome } = await this.#queue.ask({ caller: caller.label, method, ...details, rule }, ms, from.signal);
    call.approval = { approval_id: id, approval: outcome };
    if (outcome === "approved") return;
    if (outcome === "canceled") throw new HoltError("ECANCELED", "the call was canceled while it waited for approval");
    const how = outcome === "denied" ? "the user denied it" : `no answer within ${ms} ms`;
    throw new HoltError("EDENIED", `not allowed by ${rule}: ${why}; ${how}`, {
      hint:
        outcome === "denied"
          ? "do not repeat the call"
          : "ask the user to check `holt approvals`, then call again: `holt approve ID` lets a waiting call go on",
      details: { rule, approval_id: id, outcome },
    });
  }

  /** Extra time for a call that may have to wait for approval. */
  extraMs(effect: Effect): number {
    const settings = this.#settings.lastValid;
    const { "policy.ask": ask, "policy.otherwise": otherwise, "timeouts.approval_ms": ms } = settings;
    const starts = effect === "exec" && (ask.length > 0 || otherwise === "ask");
    const acts = effect !== "read" && othersVerdict(settings) === "ask";
    return starts || acts ? ms : 0;
  }
}
