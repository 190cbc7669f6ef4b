/** Answers approvals for `holt approve` and `holt deny`. */
import { type Answer, Approvals } from "../../../client/sessions/approvals.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";

/** Resolves all references before the first answer, so that a wrong one changes nothing. */
export function answerApprovals(references: readonly string[], answer: Answer): number {
  const approvals = new Approvals(new LocalSessions().layout);
  const found = references.map((reference) => approvals.find(reference));
  for (const { approval_id } of found) approvals.answer(approval_id, answer);
  return 0;
}
