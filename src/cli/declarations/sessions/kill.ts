/** Options and help page of `holt kill`. */
import type { Declaration } from "../declaration.ts";

export const KILL = {
  name: "kill",
  summary: "end sessions immediately with SIGKILL",
  usage: ["holt kill ID... [--json]"],
  examples: [["holt kill web", "kill its command and every process it started"]],
  options: [{ name: "json", summary: 'print {"killed": [...], "already_ended": [...]}' }],
  positionals: { name: "ID", least: 1, most: Number.POSITIVE_INFINITY, completes: "living" },
  about: "Returns when the sessions have ended. `holt stop` sends SIGTERM first.",
} as const satisfies Declaration;
