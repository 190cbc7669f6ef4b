/** Options and help page of `holt commands`. */
import type { Declaration } from "../declaration.ts";

export const SHELL_COMMANDS = {
  name: "commands",
  summary: "list the commands run in a shell session",
  usage: ["holt commands ID [-n N] [--json]"],
  examples: [
    ["holt commands work", "each command with its exit code, duration and directory"],
    ["holt commands work -n 1 --json | jq -r '.commands[0].output_start'", "where the last command's output begins"],
  ],
  options: [
    { name: "limit", short: "n", value: "N", kind: "count", counts: "commands", summary: "the newest N (default 100)" },
    { name: "json", summary: 'print {"shell": ..., "commands": [...]}' },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Lists the commands that were typed into an interactive bash, zsh or fish session and those run with
\`holt exec\`, also after the session has ended. \`holt logs --since CURSOR ID\` prints the
transcript from a command's output on.

bash reports commands from its history. Commands that it does not store there (HISTCONTROL,
HISTIGNORE) are listed without their text.

When stdout is not a terminal, it prints one line per command with tab-separated fields: number,
exit code, milliseconds, start time, output start, output end, directory, command.`,
} as const satisfies Declaration;
