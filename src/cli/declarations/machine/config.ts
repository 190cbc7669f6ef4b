import type { Declaration } from "../declaration.ts";

export const CONFIG = {
  name: "config",
  summary: "the settings that count, where each comes from, and whether a file is right",
  usage: ["holt config show [--origin] [--json]", "holt config path [--json]", "holt config check [FILE]"],
  examples: [
    ["holt config show --origin", "every setting, and which line or variable says so"],
    ["holt config show > holt.toml", "a file to begin with; `holt config path` says where it belongs"],
    ["holt config check", "every mistake, with its line"],
    ["HOLT_PTY_MAX_CLIENTS=2 holt config show", "a variable counts before the file"],
  ],
  options: [
    { name: "origin", summary: "with show: also where each setting comes from" },
    { name: "json", summary: "print it as JSON" },
  ],
  positionals: { name: "ACTION", least: 1, most: 2, choices: ["show", "path", "check"] },
  about: `The file is \`config.toml\`, \`config.yaml\` or \`config.json\` in $XDG_CONFIG_HOME/holt, else ~/.config/holt; two at once are refused. A key may also be set by a
variable: \`pty.max_clients\` is HOLT_PTY_MAX_CLIENTS, a list is written with commas. Variables count before the file, options of a command before both.

What is wrong is an error that names the file, the line and the key, and an unknown key the one that was probably meant: a setting that is ignored in silence is
worse than none. \`check\` exits 1 then. A running daemon takes a changed file with its next call; variables are those that it was started with.`,
} as const satisfies Declaration;
