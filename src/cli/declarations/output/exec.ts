import type { Declaration } from "../declaration.ts";

export const EXEC = {
  name: "exec",
  summary: "run a command in the shell that a session is, and end as it did",
  usage: ["holt exec [options] ID COMMAND", "holt exec [options] ID -- WORD [WORD...]"],
  examples: [
    ["holt exec work 'cd src && make'", "one command line: what it changes in the shell stays"],
    ["holt exec work -- grep -r 'two words' .", "a command and its arguments, as they are"],
    ["holt exec --timeout 10s work ./slow", "10 seconds at most; then it goes on without you"],
    ["holt exec --json work 'git status' | jq .exit_code", "with its directory, duration and cursors"],
  ],
  options: [
    {
      name: "timeout",
      value: "DURATION",
      summary: "do not wait longer for it (default: as long as it takes); it is not ended",
    },
    { name: "raw", summary: "its bytes as the terminal was sent them, with \\r\\n for \\n" },
    { name: "takeover", summary: "take the keyboard, where one alone may type" },
    { name: "json", summary: "print outcome, exit code, directory, times, cursors and the output as JSON" },
  ],
  positionals: { name: "ID COMMAND", least: 2, most: 100_000, completes: "living", endsOptions: true },
  about: `The session is an interactive bash, zsh or fish (\`holt start -- bash\`) that stands at its prompt. The command runs in that very shell, so a directory,
variable, function or option that it sets is there for the next one; it is not in the shell's history, and who watches sees its first line.

Its output is what the terminal was sent from its beginning to its end: that of the command and of all it started, of a background job that
printed meanwhile, and of the terminal itself where that showed what was typed. Not the command line, and no prompt.

A shell that is busy, or at whose prompt somebody has typed, is left alone: \`holt wait ID --until prompt\` tells when it is free. What the command
reads, \`holt send\` types. Ctrl-C here ends the waiting and not the command, which \`holt send ID --keys ctrl-c\` does.

Exit codes: the command's own, the session's when the shell exited in it; 124 the time is up; 125 it was not
run, and stderr says why; 1 the session was lost meanwhile, and it may have run; 3 the shell became another program (exec).`,
} as const satisfies Declaration;
