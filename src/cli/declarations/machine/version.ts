/** Options and help page of `holt version`. */
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const VERSION_COMMAND = {
  name: "version",
  summary: "print holt's version",
  usage: ["holt version [--json]"],
  examples: [["holt version", ""]],
  options: [{ name: "json", summary: 'print {"version": ...}' }],
  positionals: NO_POSITIONALS,
} as const satisfies Declaration;
