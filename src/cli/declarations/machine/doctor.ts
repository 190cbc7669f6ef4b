/** Options and help page of `holt doctor`. */
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const DOCTOR = {
  name: "doctor",
  summary: "check this machine for what holt needs",
  usage: ["holt doctor [--json]"],
  examples: [
    ["holt doctor", "run all checks: each is ok, missing or wrong"],
    ["holt doctor --json | jq '.checks[] | select(.state != \"ok\")'", "print only the problems"],
  ],
  options: [{ name: "json", summary: "print the checks as JSON" }],
  positionals: NO_POSITIONALS,
  about: `\`missing\`: holt works without it; the line says what you lose. \`wrong\`: something does not work; the
line says how to fix it, and the exit code is 1.

When stdout is not a terminal, it prints one line per check with tab-separated fields: name, state,
result, consequence.`,
} as const satisfies Declaration;
