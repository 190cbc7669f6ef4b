/** A call from its incoming to its answer, with what admission and asking note about it for the audit. */
import type { Decision } from "../../policy/policy.ts";
import type { ApprovalOutcome, ApprovalDetails } from "../policy/approval-queue.ts";
import type { Caller } from "./caller.ts";

export interface IncomingCall {
  caller: Caller;
  /** As the table has it. */
  method: string;
  /** The other name under which it was called; null: its own. */
  alias: string | null;
  /** In the method's own names. */
  params: unknown;
  /** Its signal fires when the caller gives the call up. */
  from: { readonly signal: AbortSignal; readonly correlationId: string | null };
}

export interface CallRecord extends IncomingCall {
  /** The correlation id in audit, log and error: the caller's own, where it has one. */
  id: string;
  began: number;
  /** Made when it is asked for: a start does not wait for what is written about it. */
  start: (() => ApprovalDetails) | null;
  decision: Decision | null;
  approval: { approval_id: string; approval: ApprovalOutcome["outcome"] } | null;
}
