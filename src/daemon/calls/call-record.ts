/** A call from arrival to answer, with what admission and approval add for the audit. */
import type { Decision } from "../../policy/policy.ts";
import type { ApprovalOutcome, ApprovalDetails } from "../policy/approval-queue.ts";
import type { Caller } from "./caller.ts";

export interface IncomingCall {
  caller: Caller;
  /** The name in the method table. */
  method: string;
  /** The alias that the caller used; null: none. */
  alias: string | null;
  /** Parameters under the method's own names. */
  params: unknown;
  /** The signal aborts when the caller cancels the call. */
  from: { readonly signal: AbortSignal; readonly correlationId: string | null };
}

export interface CallRecord extends IncomingCall {
  /** The correlation id in audit, log and errors; the caller's own if it sent one. */
  id: string;
  began: number;
  /** Built on demand: a start does not wait for its audit details. */
  start: (() => ApprovalDetails) | null;
  decision: Decision | null;
  approval: { approval_id: string; approval: ApprovalOutcome["outcome"] } | null;
}
