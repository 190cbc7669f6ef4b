/** Options and help page of `holt help`. */
import type { Declaration } from "../declaration.ts";

export const HELP = {
  name: "help",
  summary: "explain a command or a topic",
  usage: ["holt help [TOPIC]"],
  examples: [
    ["holt help", "every command and topic"],
    ["holt help logs", "one command, the same as `holt logs --help`"],
    ["holt help cursors", "one topic"],
  ],
  options: [],
  positionals: { name: "TOPIC", least: 0, most: 1, completes: "topic" },
} as const satisfies Declaration;
