import type { Topic } from "./topics.ts";

export const EXIT_CODES: Topic = {
  name: "exit-codes",
  summary: "what each exit code means",
  text: `
# Of every command
  0\tit worked
  1\tit did not, and stderr says why; of every command also where the working directory was deleted, because the runtime inside holt does not start there
  2\tit was called wrongly: unknown option, bad value, ambiguous id
  125\ta socket or directory of holt's belongs to another user, and nothing was sent there; or the system allows too few processes, or too little memory or stack, for holt to run at all
  130\tinterrupted with Ctrl-C
  141\twhoever read the output closed it, as in \`holt logs web | head -1\`; said to nobody, as with cat

# Of holt run
  N\tthe command's own exit code, whatever it is
  128+N\tthe command was ended by signal N, and holt ended itself by the same signal: 143 is SIGTERM, which is also what \`--timeout\` ends with, 137 is SIGKILL
  125\tholt itself failed, before or around the command
  126\tthe command was found but cannot be executed
  127\tthe command was not found
  2\t\`holt run\` was called wrongly, or the session id is taken; the command was not started

# Of holt start
  0\tit was started; how it ends is told by \`holt wait --exit-code\`
  125\tholt itself failed; the command was not started
  126\tthe command was found but cannot be executed, or its directory cannot be entered
  127\tthe command was not found
  2\t\`holt start\` was called wrongly, or the session id is taken

# Of holt attach
  0\tdetached, or the session has ended
  1\tit could not be attached to, or its holder was lost
  N\twith \`--exit-code\`, when the session ended meanwhile: its own, or 128+N for signal N

# Of holt wait
  0\ta condition holds
  3\tthe session ended, and that was not waited for
  124\tthe time is up
  N\twith \`--exit-code\`, when the session ended: its own, or 128+N for signal N; 1 if it has none

# Of holt exec
  N\tthe command's own exit code, 130 after Ctrl-C; the session's when the shell exited in it
  1\tthe session's holder was lost meanwhile: the command may have run, or still run, and stderr says so
  3\tthe shell became another program
  124\tthe time is up, and the command goes on
  125\tthe command was not run: the shell is busy, or is none, and stderr says so

# Of holt logs --grep and holt search
  0\tsomething was found
  1\tnothing was

# Of holt daemon status
  0\tone runs
  3\tnone runs
  4\tone runs and does not answer

An error is one line that names the thing, and often a second one that helps. With \`--json\` it is one JSON object on stderr,
\`{"error": {"code", "message", "hint"}}\`, and the exit code is the same.
`,
};
