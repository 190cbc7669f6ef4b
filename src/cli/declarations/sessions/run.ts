/** Options and help page of `holt run`. */
import { LIMIT_WORDS } from "../../../protocol/types/limits.ts";
import type { Declaration } from "../declaration.ts";

export const RUN = {
  name: "run",
  summary: "run a command and record its output",
  usage: ["holt run [options] -- COMMAND [ARGUMENT...]"],
  examples: [
    ["holt run -- npm test", "run it as usual; read its output later with `holt logs`"],
    ["holt run --name web -- npm run dev", "name the session"],
    ["holt run --retention 7d -- make release", "keep the transcript for a week"],
    ["holt run -- vim notes.md", "full-screen programs work too"],
  ],
  options: [
    { name: "name", short: "n", value: "NAME", summary: "name the session; names need not be unique" },
    { name: "session-id", value: "ID", summary: "use this id instead of a generated one; fails if it is taken" },
    {
      name: "retention",
      value: "DURATION",
      summary: "keep the session this long after it ends: 90s, 15m, 1h30m, 7d (default 24h)",
    },
    { name: "project", value: "PROJECT", summary: "label the session with a project" },
    {
      name: "timeout",
      value: "DURATION",
      summary: "end the command and all its processes after this long (SIGTERM, then SIGKILL)",
    },
    {
      name: "idle-timeout",
      value: "DURATION",
      summary: "end them after this long without output, input, attach or resize",
    },
    {
      name: "limit",
      value: "WHAT=MOST",
      repeats: true,
      offers: LIMIT_WORDS.map((word) => `${word}=`),
      summary:
        "limit resources: cpu=10s, memory=1G, files=256, processes=64, file-size=100M, session-memory=2G, session-processes=100; separate several with commas, or repeat the option",
    },
    {
      name: "max-output-bytes",
      value: "N",
      kind: "count",
      counts: "bytes, without a unit",
      summary: "record at most N bytes of output (default 1 GiB); the command keeps running",
    },
    { name: "share", summary: "let other clients type into it (`holt send`)" },
  ],
  positionals: { name: "COMMAND", least: 1, most: Number.POSITIVE_INFINITY, completes: "command", endsOptions: true },
  about: `On a terminal, the command gets a terminal of the same size. Otherwise it gets pipes, and stdout and
stderr stay separate. holt passes keys, resizes and signals to the command and adds nothing to its
output.

# Limits
  cpu, file-size\tper process (setrlimit); a process that exceeds one is killed with SIGXCPU or SIGXFSZ, and the session's reason is \`limit_exceeded\`
  memory, files\tper process (setrlimit); calls that exceed one fail inside the program. memory is address space
  processes\tper user (setrlimit); starting one more process fails
  session-memory\tthe whole session (cgroup v2); exceeding it ends the session with \`limit_exceeded\`
  session-processes\tthe whole session (cgroup v2); starting one more process fails

If this machine does not allow session limits, the command is not started; \`holt doctor\` says why.

# Exit codes
holt exits as the command does: with its exit code, or by the same signal. It exits 127 if the
command is not found and 126 if it cannot be executed. See \`holt help exit-codes\`.`,
} as const satisfies Declaration;
