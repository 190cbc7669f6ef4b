/** Options and help page of `holt exec`. */
import type { Declaration } from "../declaration.ts";

export const EXEC = {
  name: "exec",
  summary: "run a command in a shell session and wait for it",
  usage: ["holt exec [options] ID COMMAND", "holt exec [options] ID -- WORD [WORD...]"],
  examples: [
    ["holt exec work 'cd src && make'", "run a command line; the shell stays in src"],
    ["holt exec work -- grep -r 'two words' .", "run a command; holt quotes its arguments for the shell"],
    ["holt exec --timeout 10s work ./slow", "wait at most 10 seconds; the command keeps running"],
    ["holt exec --json work 'git status' | jq .exit_code", "print the result as JSON"],
  ],
  options: [
    {
      name: "timeout",
      value: "DURATION",
      summary: "wait at most this long, without ending the command (default: until it ends)",
    },
    { name: "raw", summary: "print the terminal's bytes unchanged, with \\r\\n line endings" },
    { name: "takeover", summary: "take the keyboard from its owner, if only one client may type" },
    { name: "json", summary: "print outcome, exit code, directory, times, cursors and output as JSON" },
  ],
  positionals: { name: "ID COMMAND", least: 2, most: 100_000, completes: "living", endsOptions: true },
  about: `The session must be an interactive bash, zsh or fish (\`holt start -- bash\`) at its prompt. The
command runs in that shell itself: directories, variables, functions and options that it sets stay
set for the next command. It is not added to the shell's history, and attached clients see its first
line.

Prints the bytes that the terminal received while the command ran, without the prompt and the
command line. That includes output of background jobs, and input that the terminal echoed.

Fails if the shell is busy or text is typed at its prompt; \`holt wait ID --until prompt\` waits
until it is free. Use \`holt send\` to answer a command that reads input. Ctrl-C stops waiting and
leaves the command running; \`holt send ID --keys ctrl-c\` interrupts the command.

# Exit codes
  N\tthe command's exit code; the session's if the shell exited
  1\tthe session was lost; the command may have run
  3\tthe shell was replaced by another program (exec)
  124\tthe timeout expired
  125\tthe command was not run; stderr says why`,
} as const satisfies Declaration;
