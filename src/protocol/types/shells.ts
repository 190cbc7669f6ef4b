const SHELLS = ["bash", "zsh", "fish"];

/** Whether a command of that name is a shell that can tell of its prompts and commands. */
export function isKnownShell(name: string): boolean {
  return SHELLS.includes(name.slice(name.lastIndexOf("/") + 1));
}
