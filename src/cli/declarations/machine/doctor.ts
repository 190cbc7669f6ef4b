import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const DOCTOR = {
  name: "doctor",
  summary: "what this machine has of what holt uses, and what is missing costs",
  usage: ["holt doctor [--json]"],
  examples: [
    ["holt doctor", "each thing, tried: ok, missing or wrong"],
    ["holt doctor --json | jq '.checks[] | select(.state != \"ok\")'", "what is not as it could be"],
  ],
  options: [{ name: "json", summary: "print the checks as JSON" }],
  positionals: NO_POSITIONALS,
  about: `What is *missing* costs something, which is said, and holt works all the same. What is *wrong* keeps something from working: then it exits 1, and says what to do.

When the output is not a terminal: one line for each, with name, state, what was found and what it costs separated by tabs.`,
} as const satisfies Declaration;
