import type { Declaration } from "../declaration.ts";

export const KILL = {
  name: "kill",
  summary: "end sessions at once: SIGKILL to all they started",
  usage: ["holt kill ID... [--json]"],
  examples: [["holt kill web", "no questions asked"]],
  options: [{ name: "json", summary: 'print {"killed": [...], "already_ended": [...]}' }],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "living" },
  about: "Returns when they have ended. `holt stop` asks first.",
} as const satisfies Declaration;
