/** A person is asked, and their answer is the call's. */
import type { Decision } from "../../policy/policy.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Effect } from "../../protocol/methods/rows/row.schema.ts";
import type { ApprovalDesk, Shown } from "./approval-queue.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { Passage } from "../calls/call-context.ts";
import { othersVerdict } from "./rules.ts";

export class AskingPerson {
  readonly #settings: CurrentSettings;
  readonly #desk: ApprovalDesk;

  constructor(settings: CurrentSettings, desk: ApprovalDesk) {
    this.#settings = settings;
    this.#desk = desk;
  }

  /** Returns when they said yes. */
  async ask(passage: Passage, shown: Shown, { rule, why }: Pick<Decision, "rule" | "why">): Promise<void> {
    const { caller, method, from } = passage;
    const ms = this.#settings.known["timeouts.approval_ms"];
    const { id, outcome } = await this.#desk.ask({ caller: caller.label, method, ...shown, rule }, ms, from.signal);
    passage.approval = { approval_id: id, approval: outcome };
    if (outcome === "approved") return;
    if (outcome === "canceled") throw new HoltError("ECANCELED", "the call was canceled while a person was asked");
    const how = outcome === "denied" ? "a person said no" : `nobody answered within ${ms} ms`;
    throw new HoltError("EDENIED", `not allowed by ${rule}: ${why}; ${how}`, {
      hint:
        outcome === "denied"
          ? "do not ask again for the same"
          : "ask the person to look at `holt approvals`, and call again: `holt approve ID` while the call waits lets it go on",
      details: { rule, approval_id: id, outcome },
    });
  }

  /** How much longer a call may take because of that. */
  patienceMs(effect: Effect): number {
    const settings = this.#settings.known;
    const { "policy.ask": ask, "policy.otherwise": otherwise, "timeouts.approval_ms": ms } = settings;
    const starts = effect === "exec" && (ask.length > 0 || otherwise === "ask");
    const acts = effect !== "read" && othersVerdict(settings) === "ask";
    return starts || acts ? ms : 0;
  }
}
