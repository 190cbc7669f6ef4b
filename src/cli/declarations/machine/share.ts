import type { Declaration } from "../declaration.ts";

export const SHARE = {
  name: "share",
  summary: "a link to one session, for somebody to watch or to drive in a browser",
  usage: ["holt share ID [--driver] [--expires DURATION] [--for DURATION] [--json]"],
  examples: [
    ["holt share build", "to watch it; the link opens once, within an hour"],
    ["holt share build --driver --expires 10m", "to type into it too"],
    ["holt share build --for 8h", "who opened it can look for eight hours"],
  ],
  options: [
    { name: "driver", summary: "whoever opens it may type, too" },
    { name: "expires", value: "DURATION", summary: "how long the link can be opened (1h)" },
    { name: "for", value: "DURATION", summary: "how long it is good for once it was opened (1d)" },
    { name: "json", summary: "print the link and its id as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `A link opens once: who opens it first has it. It shows this session and nothing else. \`holt call token.revoke '{"token_id":"…"}'\` takes it back, also from who has opened it.

The page is turned on by it (\`holt help web\`). It is reached on this machine alone, so for somebody elsewhere it takes a tunnel or a proxy (docs/security.md).`,
} as const satisfies Declaration;
