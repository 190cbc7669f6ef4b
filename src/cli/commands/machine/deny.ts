/** `holt deny`. */
import { answerApprovals } from "./answer-approvals.ts";
import { command } from "../../declarations/command.ts";
import { DENY } from "../../declarations/machine/deny.ts";

export const main = command(DENY, ({ positionals }) => answerApprovals(positionals, "denied"));
