// docs/reference/config.md, from the table of keys. `bun scripts/config-reference.ts` writes it; a test compares.

import { KEY_NAMES, KEYS, type KeyName, variableOf } from "../src/config/keys.ts";
import { expectation, type Kind } from "../src/config/kinds.ts";

export const REFERENCE = new URL("../docs/reference/config.md", import.meta.url).pathname;

export function configReference(): string {
  const sections = Map.groupBy(KEY_NAMES, (key) => key.slice(0, key.indexOf(".")));
  return `# Configuration

Generated from \`src/config/keys.ts\`: \`node_modules/.bin/bun scripts/config-reference.ts\`.

The file is \`config.toml\`, \`config.yaml\` or \`config.json\` in \`$XDG_CONFIG_HOME/holt\`, else \`~/.config/holt\`; two at once are refused. Each key may also be set by the variable
beside it, where a list is written with commas, of directories also with colons. Variables count before the file, and options of a command before both. \`holt config show --origin\` tells what counts and who says so,
\`holt config check\` what is wrong, with its line. A running daemon takes a changed file with its next call that acts.

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
