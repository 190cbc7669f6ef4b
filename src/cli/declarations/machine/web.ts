/** Options and help page of `holt web`. */
import type { Declaration } from "../declaration.ts";

export const WEB = {
  name: "web",
  summary: "open all sessions in a browser",
  usage: ["holt web [--port N] [--no-open] [--json]", "holt web stop"],
  examples: [
    ["holt web", "turn the page on and open it"],
    ["holt web --no-open", "print the link only, e.g. for use with ssh -L 4658:127.0.0.1:4658"],
    ["holt web --port 8080", "use another port"],
    ["holt web stop", "turn the page off; sessions keep running"],
  ],
  options: [
    {
      name: "port",
      value: "N",
      kind: "count",
      counts: "a port",
      summary: "listen on this port; 0 picks a free one (default: the port of http.listen, else 4658, else a free one)",
    },
    { name: "no-open", summary: "print the link without opening a browser" },
    { name: "json", summary: "print the address and the link as JSON" },
  ],
  positionals: { name: "ACTION", least: 0, most: 1, choices: ["start", "stop"] },
  about: `The daemon serves the page on this machine only, and only with a valid key. The link contains a
ticket that works once, within a minute; run \`holt web\` again for another. The browser tab stays
signed in for a week. The page stays on until \`holt web stop\`, also when the daemon restarts.

Programs use the same address: HTTP at \`/api/v1/\`, WebSocket, MCP at \`/mcp\` and metrics at
\`/metrics\`, each with \`Authorization: Bearer TOKEN\`. The owner's token is in \`owner-token\` in
the state directory; \`/api/v1/openapi.json\` describes the API. \`holt share\` gives another user
access to one session.

Other addresses, host names behind a proxy and certificates are settings: see \`holt help config\`
and docs/security.md.`,
} as const satisfies Declaration;
