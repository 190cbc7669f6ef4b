/** `holt deny`. */
import { answerApprovals } from "./answer-approvals.ts";
import { command } from "./command.ts";
import { DENY } from "./declarations/deny.ts";

export const main = command(DENY, ({ positionals }) => answerApprovals(positionals, "denied"));
