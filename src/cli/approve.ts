/** `holt approve`. */
import { answerApprovals } from "./answer-approvals.ts";
import { command } from "./command.ts";
import { APPROVE } from "./declarations/approve.ts";

export const main = command(APPROVE, ({ positionals }) => answerApprovals(positionals, "approved"));
