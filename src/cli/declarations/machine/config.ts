/** Options and help page of `holt config`. */
import type { Declaration } from "../declaration.ts";

export const CONFIG = {
  name: "config",
  summary: "show or check the effective settings",
  usage: ["holt config show [--origin] [--json]", "holt config path [--json]", "holt config check [FILE]"],
  examples: [
    ["holt config show --origin", "every setting, and the line or variable that sets it"],
    ["holt config show > holt.toml", "write a file to start from; `holt config path` prints where it belongs"],
    ["holt config check", "list every mistake with its line"],
    ["HOLT_PTY_MAX_CLIENTS=2 holt config show", "a variable overrides the file"],
  ],
  options: [
    { name: "origin", summary: "with show: print where each setting comes from" },
    { name: "json", summary: "print JSON" },
  ],
  positionals: { name: "ACTION", least: 1, most: 2, choices: ["show", "path", "check"] },
  about: `The file is \`config.toml\`, \`config.yaml\` or \`config.json\` in $XDG_CONFIG_HOME/holt, else in
~/.config/holt. Having two of them is an error. Each key also has a variable: \`pty.max_clients\` is
HOLT_PTY_MAX_CLIENTS; separate list items with commas. Command line options override variables, and
variables override the file.

Mistakes and unknown keys are errors that name the file, the line and the key; \`check\` lists all
of them and exits with 1. A running daemon reads a changed file at its next call, and keeps the
variables that it was started with.`,
} as const satisfies Declaration;
