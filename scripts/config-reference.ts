// docs/reference/config.md, from the table of keys. `bun scripts/config-reference.ts` writes it; a test compares.

import { KEY_NAMES, KEYS, type KeyName, variableOf } from "../src/config/keys.ts";
import { expectation, type Kind } from "../src/config/kinds.ts";

export const REFERENCE = new URL("../docs/reference/config.md", import.meta.url).pathname;

export function configReference(): string {
  const sections = Map.groupBy(KEY_NAMES, (key) => key.slice(0, key.indexOf(".")));
  return `# Configuration

Generated from \`src/config/keys.ts\`: \`node_modules/.bin/bun scripts/config-reference.ts\`.

The file is \`config.toml\`, \`config.yaml\` or \`config.json\` in \`$XDG_CONFIG_HOME/holt\`, else in
\`~/.config/holt\`. Having two of them is an error. Each key also has a variable; separate list items
with commas, directories also with colons. Command line options override variables, and variables
override the file. \`holt config show --origin\` shows where each setting comes from, and
\`holt config check\` lists mistakes with their lines. A running daemon reads a changed file at its
next call that acts.

\`\`\`toml
[sessions]
retention_seconds = 604800

[policy]
allow = ["git", "npm", "/usr/local/bin"]
roots = ["/home/me/src"]
\`\`\`
${[...sections].map(([name, keys]) => section(name, keys)).join("")}`;
}

function section(name: string, keys: readonly KeyName[]): string {
  return `
## ${name}

| key, variable | may be | default | what it does |
|---|---|---|---|
${keys.map(line).join("\n")}
`;
}

function line(key: KeyName): string {
  const kind: Kind = KEYS[key];
  const later = kind.later === undefined ? "" : ` (declared for ${kind.later})`;
  return `| \`${key}\`<br>\`${variableOf(key)}\` | ${expectation(kind)} | ${defaultOf(kind)} | ${kind.summary}${later} |`;
}

function defaultOf(kind: Kind): string {
  if (kind.default === null) return "not set";
  return `\`${JSON.stringify(kind.default)}\``;
}

if (import.meta.main) await Bun.write(REFERENCE, configReference());
