/** Options and help page of `holt call`. */
import { METHOD_NAMES } from "../../../protocol/methods/method-names.ts";
import type { Declaration } from "../declaration.ts";

export const CALL = {
  name: "call",
  summary: "call a method of the daemon with JSON",
  usage: ["holt call METHOD [PARAMS]"],
  examples: [
    ["holt call health.info", "without parameters"],
    [`holt call session.start '{"argv":["npm","test"]}'`, "docs/reference/methods.md lists all methods"],
    ["holt call session.read - < params.json", "parameters from stdin"],
    ["holt call session.list '{}' | jq '.sessions[].session_id'", "for programs"],
  ],
  options: [],
  positionals: { name: "METHOD", least: 1, most: 2, offers: METHOD_NAMES },
  about: `Sends the same request as the socket, MCP or the client library would, and prints the same result.
Session ids must be complete: prefixes and names are not resolved. Starts the daemon if none runs.

Prints the result as JSON on stdout: indented on a terminal, otherwise on one line. An error is
printed there too, as an object \`error\` with code, message, details and hint; the exit code is
then 1.`,
} as const satisfies Declaration;
