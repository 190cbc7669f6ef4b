/** Options and help page of `holt share`. */
import type { Declaration } from "../declaration.ts";

export const SHARE = {
  name: "share",
  summary: "create a browser link to one session",
  usage: ["holt share ID [--driver] [--expires DURATION] [--for DURATION] [--json]"],
  examples: [
    ["holt share build", "a link to watch it; opens once, within an hour"],
    ["holt share build --driver --expires 10m", "a link to watch and type, valid for 10 minutes"],
    ["holt share build --for 8h", "once opened, access lasts eight hours"],
  ],
  options: [
    { name: "driver", summary: "allow typing" },
    { name: "expires", value: "DURATION", summary: "how long the link can be opened (default 1h)" },
    { name: "for", value: "DURATION", summary: "how long access lasts once the link is opened (default 1d)" },
    { name: "json", summary: "print the link and its token id as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `The link works once, for the first browser that opens it, and gives access to this session only.
\`holt call token.revoke '{"token_id":"…"}'\` revokes it, even after it was opened.

Turns on the web page if it is off (see \`holt help web\`). The page is reachable on this machine
only; for another machine use a tunnel or a proxy (docs/security.md).`,
} as const satisfies Declaration;
