import { METHOD_NAMES } from "../../../protocol/methods/method-names.ts";
import type { Declaration } from "../declaration.ts";

export const CALL = {
  name: "call",
  summary: "call any method of the daemon with JSON, and print its JSON",
  usage: ["holt call METHOD [PARAMS]"],
  examples: [
    ["holt call health.info", "without parameters"],
    [`holt call session.start '{"argv":["npm","test"]}'`, "what docs/reference/methods.md has, row by row"],
    ["holt call session.read - < params.json", "the parameters from stdin"],
    ["holt call session.list '{}' | jq '.sessions[].session_id'", "one line where the output is no terminal"],
  ],
  options: [],
  positionals: { name: "METHOD", least: 1, most: 2, offers: METHOD_NAMES },
  about: `The same call as over the socket, MCP or the client library, with the same answer. Ids are exact here: no prefixes, no names. Starts the
daemon if none runs.

The result goes to stdout. So does an error, as an object named error with code, message, details and hint, with exit code 1.`,
} as const satisfies Declaration;
