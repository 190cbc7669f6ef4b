import type { Declaration } from "../declaration.ts";

export const COMPLETIONS = {
  name: "completions",
  summary: "print a completion script for your shell",
  usage: ["holt completions bash|zsh|fish"],
  examples: [
    ["source <(holt completions bash)", "in ~/.bashrc"],
    ["source <(holt completions zsh)", "in ~/.zshrc, after compinit"],
    ["holt completions fish > ~/.config/fish/completions/holt.fish", "once"],
  ],
  options: [
    { name: "sessions", summary: "instead: the ids and names a shell may complete, each with its command after a tab" },
    {
      name: "clients",
      value: "WORDS",
      summary: "instead: the clients of the sessions among these words of a command line",
    },
    { name: "living", summary: "with --sessions: only those that have not ended" },
  ],
  positionals: { name: "SHELL", least: 0, most: 1, choices: ["bash", "zsh", "fish"] },
} as const satisfies Declaration;
