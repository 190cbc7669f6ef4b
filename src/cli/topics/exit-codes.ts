/** `holt help exit-codes`. */
import type { Topic } from "./topics.ts";

export const EXIT_CODES: Topic = {
  name: "exit-codes",
  summary: "what each exit code means",
  text: `
# All commands
  0\tsuccess
  1\tfailure; stderr says why. Also: the working directory was deleted
  2\tusage error: unknown option, bad value, ambiguous id
  125\ta socket or directory of holt belongs to another user, and nothing was sent there; or the system allows too few processes, or too little memory or stack
  130\tinterrupted with Ctrl-C
  141\tthe reader of the output closed it, as in \`holt logs web | head -1\`; no message, as with cat

# holt run
  N\tthe command's exit code
  128+N\tsignal N ended the command, and holt ended itself with the same signal: 143 is SIGTERM, also after \`--timeout\`; 137 is SIGKILL
  125\tholt itself failed, before or while it ran the command
  126\tthe command was found but cannot be executed
  127\tthe command was not found
  2\tusage error, or the session id is taken; the command was not started

# holt start
  0\tthe command was started; use \`holt wait --exit-code\` for its exit code
  125\tholt failed; the command was not started
  126\tthe command was found but cannot be executed, or its directory cannot be entered
  127\tthe command was not found
  2\tusage error, or the session id is taken

# holt attach
  0\tdetached, or the session has ended
  1\tcannot attach, or the session's holder was lost
  N\twith \`--exit-code\`, if the session has ended: its exit code, or 128+N for signal N

# holt wait
  0\ta condition holds
  3\tthe session ended first
  124\tthe timeout expired
  N\twith \`--exit-code\`, if the session has ended: its exit code, or 128+N for signal N; 1 if it has neither

# holt exec
  N\tthe command's exit code, 130 after Ctrl-C; the session's exit code if the shell exited
  1\tthe session's holder was lost; the command may have run, or may still run
  3\tthe shell was replaced by another program
  124\tthe timeout expired; the command keeps running
  125\tthe command was not run: the shell is busy, or the session is not a supported shell

# holt logs --grep, holt search
  0\tat least one match
  1\tno match

# holt daemon status
  0\ta daemon runs
  3\tno daemon runs
  4\ta daemon runs but does not answer

# Error messages
An error is one line that names the problem, usually followed by a hint. With \`--json\` it is one
JSON object on stderr, \`{"error": {"code", "message", "hint"}}\`, with the same exit code.
`,
};
