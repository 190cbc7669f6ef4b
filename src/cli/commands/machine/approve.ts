/** `holt approve`. */
import { answerApprovals } from "./answer-approvals.ts";
import { command } from "../../declarations/command.ts";
import { APPROVE } from "../../declarations/machine/approve.ts";

export const main = command(APPROVE, ({ positionals }) => answerApprovals(positionals, "approved"));
