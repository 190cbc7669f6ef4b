/** Options and help page of `holt start`. */
import type { Declaration } from "../declaration.ts";
import { INPUT_SHARINGS, SIZE_RULES } from "../../../protocol/wire/attach.ts";
import { SLOW_CLIENTS } from "../../../protocol/types/settings.ts";
import { RUN } from "./run.ts";

const SHARED_WITH_RUN = RUN.options.filter(({ name }) => name !== "share");

export const START = {
  name: "start",
  summary: "start a command in the background",
  usage: ["holt start [options] -- COMMAND [ARGUMENT...]"],
  examples: [
    ["holt start --name web -- npm run dev", "print the session's id and return"],
    ["holt start --size 200x50 -- htop", "set the size of its terminal"],
    ["holt start --no-pty -- make -j8", "use pipes and keep stdout and stderr separate"],
    ["holt start --no-pty --stdin words -- sort", "read stdin from a file"],
    ["holt start --limit cpu=1m,memory=2G -- ./solve", "limit CPU time and memory"],
    ["holt start --linger -- ./install-service", "keep the background processes it starts"],
    ["holt logs -f $(holt start -- ./deploy)", "follow its output"],
    ["holt start --restart on-failure -- ./worker", "restart it when it fails"],
  ],
  options: [
    ...SHARED_WITH_RUN,
    {
      name: "cwd",
      short: "C",
      value: "DIRECTORY",
      completes: "directory",
      summary: "run it in this directory (default: the current one)",
    },
    { name: "env", short: "e", value: "KEY=VALUE", summary: "set an environment variable for it", repeats: true },
    { name: "size", value: "COLSxROWS", summary: "size of its terminal (default 120x40)" },
    {
      name: "size-rule",
      value: "RULE",
      choices: SIZE_RULES,
      summary:
        "which attached terminal sets the size: smallest (default), latest (the last to attach or resize), largest, or fixed (none)",
    },
    {
      name: "input",
      value: "SHARING",
      choices: INPUT_SHARINGS,
      summary: "which clients may type: shared (default, all) or lease (one at a time)",
    },
    {
      name: "max-clients",
      value: "N",
      kind: "count",
      counts: "clients",
      summary: "allow at most N attached clients (default 8)",
    },
    {
      name: "slow-client",
      value: "WHAT",
      choices: SLOW_CLIENTS,
      summary:
        "what to do with a client that stops reading: close (default, detach it) or resync (keep it and redraw its screen later)",
    },
    {
      name: "slow-client-after",
      value: "DURATION",
      summary: "with --slow-client close: detach a client that reads nothing for this long (default 10s)",
    },
    { name: "attach", short: "a", summary: "attach this terminal to it" },
    { name: "no-pty", summary: "run it on pipes, without a terminal" },
    { name: "no-shell-integration", summary: "do not add prompt marks to an interactive bash, zsh or fish" },
    {
      name: "stdin",
      value: "FILE",
      completes: "file",
      offers: ["-", "none"],
      summary:
        "with --no-pty: read all of its stdin from FILE, from this command's stdin (-), or leave it empty (none); without this option, use `holt send`",
    },
    { name: "linger", summary: "keep the processes it leaves behind, instead of ending them" },
    {
      name: "restart",
      value: "WHEN",
      choices: ["never", "on-failure", "always"],
      summary: "restart it when it ends: never (default), on-failure, always",
    },
    {
      name: "max-restarts",
      value: "N",
      kind: "count",
      counts: "restarts",
      summary: "restart at most N times in a row (default: 10 for on-failure, unlimited for always)",
    },
    {
      name: "restart-delay",
      value: "DURATION",
      summary: "wait this long before the first restart (default 1s); doubles each time, up to 60s",
    },
    { name: "json", summary: "print the session's id and the command's pid as JSON" },
  ],
  positionals: RUN.positionals,
  about: `The command runs on its own terminal, with your environment and working directory. It keeps running
when this terminal closes. \`holt attach\` opens it, \`holt send\` types into it, \`holt logs -f\`
follows it, and \`holt stop\` ends it.

# Processes left behind
When the command ends, holt ends the processes it left running: SIGTERM, then SIGKILL after one
second. With \`--linger\` they keep running without a terminal or pipes; \`holt show\` lists them as
survivors, and \`holt stop\` ends them.

# Shells
holt makes an interactive bash, zsh or fish mark its prompts and commands (OSC 133) for
\`holt exec\` and \`holt commands\`. Your shell's own startup files are read as usual and not
changed.

# Restarts
With \`--restart\`, each attempt is a session of its own. The name moves to the newest one, and
\`holt show\` names the previous and the next. \`holt stop\` on any attempt stops the restarts, even
between two attempts. An attempt that runs for 10 seconds or more resets the count and the delay. A
command that cannot be started the first time is not restarted.

# Exit codes
127 if the command is not found; 126 if it cannot be executed or its directory cannot be entered.
See \`holt help exit-codes\`.`,
} as const satisfies Declaration;
