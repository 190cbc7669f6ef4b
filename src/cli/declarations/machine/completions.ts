/** Options and help page of `holt completions`. */
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
    { name: "sessions", summary: "for the scripts: print session ids and names, each with its command after a tab" },
    {
      name: "clients",
      value: "WORDS",
      summary: "for the scripts: print the clients attached to the sessions named in WORDS",
    },
    { name: "living", summary: "with --sessions: leave out ended sessions" },
  ],
  positionals: { name: "SHELL", least: 0, most: 1, choices: ["bash", "zsh", "fish"] },
} as const satisfies Declaration;
