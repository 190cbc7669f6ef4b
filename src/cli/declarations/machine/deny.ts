import type { Declaration } from "../declaration.ts";

export const DENY = {
  name: "deny",
  summary: "refuse a command that waits for an approval",
  usage: ["holt deny ID..."],
  examples: [["holt deny k3f9", "the call ends with EDENIED"]],
  options: [],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY },
} as const satisfies Declaration;
