/** Options and help page of `holt deny`. */
import type { Declaration } from "../declaration.ts";

export const DENY = {
  name: "deny",
  summary: "refuse a command that waits for approval",
  usage: ["holt deny ID..."],
  examples: [["holt deny k3f9", "the call fails with EDENIED"]],
  options: [],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY },
} as const satisfies Declaration;
