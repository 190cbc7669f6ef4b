/** Options and help page of `holt approvals`. */
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const APPROVALS = {
  name: "approvals",
  summary: "list commands that wait for your approval",
  usage: ["holt approvals [--json]"],
  examples: [
    ["holt approvals", "show each command, its caller and the time left"],
    ["holt approve k3f9", "allow one; `holt deny k3f9` refuses it"],
  ],
  options: [{ name: "json", summary: "print them as JSON" }],
  positionals: NO_POSITIONALS,
  about: `API callers need your approval for the commands in \`policy.ask\`, or for all that no list names
with \`policy.otherwise = "ask"\`. A call waits 45 seconds (\`timeouts.approval_ms\`) and is then
denied.

When stdout is not a terminal, it prints one line per command with tab-separated fields: id, caller,
seconds left, directory, command.`,
} as const satisfies Declaration;
