import type { Declaration } from "../declaration.ts";

export const SHELL_COMMANDS = {
  name: "commands",
  summary: "what was run in the shell that a session is",
  usage: ["holt commands ID [-n N] [--json]"],
  examples: [
    ["holt commands work", "each with its exit code, duration and directory"],
    ["holt commands work -n 1 --json | jq -r '.commands[0].output_start'", "where the last one's output begins"],
  ],
  options: [
    { name: "limit", short: "n", value: "N", kind: "count", counts: "commands", summary: "the newest N (100)" },
    { name: "json", summary: 'print {"shell": ..., "commands": [...]}' },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Of an interactive bash, zsh or fish that holt started: typed commands and those of \`holt exec\`, also after the session has ended.
\`holt logs --since START ID\` reads on from where one's output begins.

bash tells a command from its history: one that it was told not to remember (HISTCONTROL, HISTIGNORE) has no text here either.

When the output is not a terminal: one line a command, fields between tabs: number, exit code, milliseconds, start, output from and to, directory, command.`,
} as const satisfies Declaration;
