/** Options and help page of `holt approve`. */
import type { Declaration } from "../declaration.ts";

export const APPROVE = {
  name: "approve",
  summary: "allow a command that waits for approval",
  usage: ["holt approve ID..."],
  examples: [["holt approve k3f9", "ID as shown by `holt approvals`; its first characters are enough"]],
  options: [],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY },
  about: "Allows it once. To allow a command always, add it to `policy.allow`.",
} as const satisfies Declaration;
