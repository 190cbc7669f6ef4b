import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const APPROVALS = {
  name: "approvals",
  summary: "what callers of the API want to start and wait for your yes or no",
  usage: ["holt approvals [--json]"],
  examples: [
    ["holt approvals", "what waits, who asks, and for how much longer"],
    ["holt approve k3f9", "let it be started; `holt deny k3f9` refuses"],
  ],
  options: [{ name: "json", summary: "print them as JSON" }],
  positionals: NO_POSITIONALS,
  about: `\`policy.ask\` and \`policy.otherwise = "ask"\` in the configuration say what is asked about. A call waits for the answer for 45 seconds (\`timeouts.approval_ms\`), and is denied without one.

When the output is not a terminal: one line for each, with id, caller, seconds left, directory and command separated by tabs.`,
} as const satisfies Declaration;
