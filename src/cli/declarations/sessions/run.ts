import { LIMIT_WORDS } from "../../../protocol/types/limits.ts";
import type { Declaration } from "../declaration.ts";

export const RUN = {
  name: "run",
  summary: "run a command and keep every byte it prints",
  usage: ["holt run [options] -- COMMAND [ARGUMENT...]"],
  examples: [
    ["holt run -- npm test", "as without holt, and readable afterwards"],
    ["holt run --name web -- npm run dev", "give it a name to find it by"],
    ["holt run --retention 7d -- make release", "keep the transcript for a week"],
    ["holt run -- vim notes.md", "full-screen programs too"],
  ],
  options: [
    { name: "name", short: "n", value: "NAME", summary: "a name for people; need not be unique" },
    { name: "session-id", value: "ID", summary: "the session's id instead of a generated one; refused if taken" },
    {
      name: "retention",
      value: "DURATION",
      summary: "how long the transcript stays after the end (90s, 15m, 1h30m, 7d; 24h)",
    },
    { name: "project", value: "PROJECT", summary: "the project it belongs to; a label that is kept with it" },
    {
      name: "timeout",
      value: "DURATION",
      summary: "end the command and all it started after this long (SIGTERM, then SIGKILL)",
    },
    {
      name: "idle-timeout",
      value: "DURATION",
      summary: "the same after this long without output, input, attach or resize",
    },
    {
      name: "limit",
      value: "WHAT=MOST",
      repeats: true,
      offers: LIMIT_WORDS.map((word) => `${word}=`),
      summary:
        "what it may use at most: cpu=10s, memory=1G, files=256, processes=64, file-size=100M, session-memory=2G, session-processes=100; several with commas, or given again",
    },
    {
      name: "max-output-bytes",
      value: "N",
      kind: "count",
      counts: "bytes, without a unit",
      summary: "how much output is kept (1 GiB); the command runs on past it",
    },
    { name: "share", summary: "others may type into it too (`holt send`)" },
  ],
  positionals: { name: "COMMAND", least: 1, most: Number.POSITIVE_INFINITY, completes: "command", endsOptions: true },
  about: `On a terminal the command gets a terminal of the same size; otherwise pipes, with stdout and stderr kept apart.
Keys, resizes and signals go to the command. holt adds nothing to what it prints.

A limit is the kernel's own (setrlimit) and holds for each of the command's processes: cpu ends one by SIGXCPU, file-size by SIGXFSZ, and the session's reason is then
limit_exceeded; past memory (addresses), files and processes (all of this user's) a call fails, and what the program makes of that is its own affair.
session-memory and session-processes are of the whole session, in a control group of its own (cgroup v2): past the first all of it is ended, limit_exceeded; past the second
no process can be made. Where this machine does not allow that, the command is not started; \`holt doctor\` tells.

holt's exit code is the command's, and a command that dies by a signal takes holt with it by the same signal.
A command that cannot be found exits 127, one that cannot be executed 126. See \`holt help exit-codes\`.`,
} as const satisfies Declaration;
