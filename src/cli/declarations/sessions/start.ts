import type { Declaration } from "../declaration.ts";
import { INPUT_SHARINGS, SIZE_RULES } from "../../../protocol/wire/attach.ts";
import { SLOW_CLIENTS } from "../../../protocol/types/settings.ts";
import { RUN } from "./run.ts";

/** What a session is, whoever holds it, is asked for in the same words as by `holt run`. */
const SHARED_WITH_RUN = RUN.options.filter(({ name }) => name !== "share");

export const START = {
  name: "start",
  summary: "start a command in the background; it outlives this terminal",
  usage: ["holt start [options] -- COMMAND [ARGUMENT...]"],
  examples: [
    ["holt start --name web -- npm run dev", "prints the session's id and returns at once"],
    ["holt start --size 200x50 -- htop", "on a terminal of that size"],
    ["holt start --no-pty -- make -j8", "on pipes, with stdout and stderr apart"],
    ["holt start --no-pty --stdin words -- sort", "with a file to read, and then the end of its input"],
    ["holt start --limit cpu=1m,memory=2G -- ./solve", "end it after a minute of processor time"],
    ["holt start --linger -- ./install-service", "what it starts in the background stays"],
    ["holt logs -f $(holt start -- ./deploy)", "and watch it"],
    ["holt start --restart on-failure -- ./worker", "start it again when it fails"],
  ],
  options: [
    ...SHARED_WITH_RUN,
    { name: "cwd", short: "C", value: "DIRECTORY", completes: "directory", summary: "where it runs (here)" },
    { name: "env", short: "e", value: "KEY=VALUE", summary: "set a variable for it", repeats: true },
    { name: "size", value: "COLSxROWS", summary: "of its terminal (120x40)" },
    {
      name: "size-rule",
      value: "RULE",
      choices: SIZE_RULES,
      summary:
        "of those attached, whose size counts: smallest (default), latest (who attached or resized last), largest or fixed (nobody's)",
    },
    {
      name: "input",
      value: "SHARING",
      choices: INPUT_SHARINGS,
      summary: "who may type: shared (default, everybody) or lease (one at a time)",
    },
    {
      name: "max-clients",
      value: "N",
      kind: "count",
      counts: "clients",
      summary: "so many may be attached at once (8)",
    },
    {
      name: "slow-client",
      value: "WHAT",
      choices: SLOW_CLIENTS,
      summary:
        "an attached client that takes nothing: close (default, let it go) or resync (keep it, and bring it up to date later)",
    },
    { name: "slow-client-after", value: "DURATION", summary: "and after how long it is let go (10s)" },
    { name: "attach", short: "a", summary: "and attach this terminal to it" },
    { name: "no-pty", summary: "no terminal: real pipes" },
    { name: "no-shell-integration", summary: "leave an interactive bash, zsh or fish as it is" },
    {
      name: "stdin",
      value: "FILE",
      completes: "file",
      offers: ["-", "none"],
      summary:
        "with --no-pty, all that it reads: a file, - for what comes on stdin here, or none; without it, `holt send`",
    },
    { name: "linger", summary: "what it leaves running when it ends goes on; otherwise that is ended too" },
    {
      name: "restart",
      value: "WHEN",
      choices: ["never", "on-failure", "always"],
      summary: "start it again when it ends: never (default), on-failure, always",
    },
    {
      name: "max-restarts",
      value: "N",
      kind: "count",
      counts: "restarts",
      summary: "at most so often in a row (10 on failure; always: no limit)",
    },
    {
      name: "restart-delay",
      value: "DURATION",
      summary: "wait before the first restart (1s); doubles each time, up to 60s",
    },
    { name: "json", summary: "print the session's id and the command's pid as JSON" },
  ],
  positionals: RUN.positionals,
  about: `The command gets a terminal of its own, your environment and your working directory, and a holder that lives until it has ended,
whatever happens to this terminal. \`holt send\` types into it, \`holt logs -f\` follows it, \`holt stop\` ends it.

What the command leaves running when it ends is ended too: SIGTERM, and SIGKILL after a second. With \`--linger\` it goes on, without a terminal or pipes, which end with
the session; \`holt show\` lists it as survivors for as long as it lives, and \`holt stop\` ends it.

An interactive bash, zsh or fish is told to mark its prompts and commands (OSC 133), which \`holt exec\` and \`holt commands\` need. Its own files are read as
always, and not touched.

With \`--restart\` each attempt is a session of its own, with its own output and end; \`holt show\` names the one before and after it, and
the name moves along. To stop any of them is to end them all, also while the next one waits. A run of 10 seconds or more sets the count and the delay back.
A command that could not be started the first time is not tried again.

A command that cannot be found exits 127, one that cannot be executed, or a bad directory, 126.`,
} as const satisfies Declaration;
