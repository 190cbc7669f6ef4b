import type { Declaration } from "../declaration.ts";

export const WEB = {
  name: "web",
  summary: "every session in a browser: turn the page on, and open it",
  usage: ["holt web [--port N] [--no-open] [--json]", "holt web stop"],
  examples: [
    ["holt web", "turns it on where it is off, and opens it"],
    ["holt web --no-open", "prints the link alone, as over ssh -L 4658:127.0.0.1:4658"],
    ["holt web --port 8080", "at another port"],
    ["holt web stop", "turns it off; sessions do not notice"],
  ],
  options: [
    {
      name: "port",
      value: "N",
      kind: "count",
      counts: "a port",
      summary: "listen there; 0 takes any that is free (default: that of http.listen, or 4658, or any)",
    },
    { name: "no-open", summary: "print the link, and do not open it" },
    { name: "json", summary: "print where it is served, and the link, as JSON" },
  ],
  positionals: { name: "ACTION", least: 0, most: 1, choices: ["start", "stop"] },
  about: `The page is served by the daemon, on this machine alone, and to nobody without a key. The link has a ticket in it that opens the page once, within a
minute; \`holt web\` makes another. The tab that it opened stays signed in for a week.

Programs use the same address: HTTP at \`/api/v1/\`, WebSocket, MCP at \`/mcp\`, metrics at \`/metrics\`, each with \`Authorization: Bearer TOKEN\`. The owner's token is in
\`owner-token\` in the state directory; \`/api/v1/openapi.json\` says what there is. \`holt share\` gives one session to somebody else.

It stays on until \`holt web stop\`, also across daemons. Other addresses, names behind a proxy and certificates are settings: \`holt help config\`, docs/security.md.`,
} as const satisfies Declaration;
