import type { Topic } from "../topics.ts";

export const EXIT_CODES: Topic = {
  name: "exit-codes",
  summary: "what each exit code means",
  text: `
# Of every command
  0\tit worked
  1\tit did not, and stderr says why; also of \`holt run\` where the working directory was deleted, before there is a command
  2\tit was called wrongly: unknown option, bad value, ambiguous id
  130\tinterrupted with Ctrl-C
  141\twhoever read the output closed it, as in \`holt logs web | head -1\`; said to nobody, as with cat

# Of holt run
  N\tthe command's own exit code, whatever it is
  128+N\tthe command was ended by signal N, and holt ended itself by the same signal: 143 is SIGTERM, 137 is SIGKILL
  125\tholt itself failed, before or around the command
  126\tthe command was found but cannot be executed
  127\tthe command was not found
  2\t\`holt run\` was called wrongly, or the session id is taken; the command was not started

# Of holt wait
  0\ta condition holds
  3\tthe session ended, and that was not waited for
  124\tthe time is up

An error is one line that names the thing, and often a second one that helps. With \`--json\` it is one JSON object on stderr,
\`{"error": {"code", "message", "hint"}}\`, and the exit code is the same.
`,
};
