import type { Declaration } from "../declaration.ts";

export const APPROVE = {
  name: "approve",
  summary: "let a command be started that waits for it",
  usage: ["holt approve ID..."],
  examples: [["holt approve k3f9", "by the first characters of what `holt approvals` shows"]],
  options: [],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY },
  about: "This once: the next call asks again. What may always be started stands in `policy.allow`.",
} as const satisfies Declaration;
