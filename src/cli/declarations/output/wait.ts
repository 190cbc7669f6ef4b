import type { Declaration } from "../declaration.ts";

/** What can be waited for; `holt send` waits for the same. */
export const UNTIL = {
  name: "until",
  short: "u",
  value: "CONDITION",
  offers: ["exit", "output", "idle=", "match=", "screen=", "input", "prompt", "port", "port="],
  repeats: true,
} as const;
export const OTHERS =
  "output, idle=DURATION, match=REGEX, screen=REGEX, input, prompt, port or port=NUMBER; of several, any";

export const WAIT = {
  name: "wait",
  summary: "wait until a session has ended, printed something, gone quiet, waits for input, or listens on a port",
  usage: ["holt wait ID [--until CONDITION]... [--since CURSOR] [--timeout DURATION] [--exit-code] [--json]"],
  examples: [
    ["holt wait build", "until it has ended"],
    ["holt wait --exit-code build", "and end as it did"],
    ["holt wait web --until match=listening --timeout 30s", "until it says so"],
    ["holt wait htop --until screen=Load", "until its screen shows that"],
    ["holt wait repl --until idle=500ms", "until it has printed nothing for half a second"],
    [
      "holt wait deploy --until input",
      "until it waits for somebody to type: prints reading, or echo_off for a password",
    ],
    ["holt wait work --until prompt", "until the shell that it is has nothing to do"],
    ["holt wait web --until port=8080 --until exit", "until it listens there, or has ended"],
    ["holt wait job --until output --until exit --since 4096", "whichever is first, past that cursor"],
  ],
  options: [
    { ...UNTIL, summary: `exit (the default), ${OTHERS}` },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "what was printed from there on counts (default: from now on)",
    },
    { name: "timeout", value: "DURATION", summary: "give up after this long (default: never)" },
    { name: "exit-code", summary: "if the session ends meanwhile, end with its exit code; 128+N for signal N" },
    { name: "json", summary: "print the outcome, the cursor, what was found and how the session ended as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about: `What is printed wakes it, and the session's end; nothing is polled for those. What was found is printed: what matched, how it waits for input, or
the address and port.

A program that is fast has answered before this begins to look: \`holt send ID --text TEXT --enter --until match=REGEX\` types and waits for what comes after.

A regular expression is looked for in the text that was printed, without escape sequences, \`^\` and \`$\` at every line. A match may reach back 4,096
characters into what was printed before.

With \`screen=\` it is looked for in what the session's terminal shows, row by row, also if it was there before.

\`input\` holds when the program reads its terminal (or, on pipes, its stdin) and does nothing else: \`echo_off\` for a line that is not shown, as a password
is, \`reading\` for anything else. One that waits for the network as well, that works or sleeps, does not wait for input. \`port\` holds when one of the
session's processes listens for TCP connections. Both hold also if it was so before. Nothing tells of them, so the session's holder looks: 25 ms after the
last output, then less and less often, four times a second at the least. Linux only.

\`prompt\` holds when the session is an interactive bash, zsh or fish (\`holt help exec\`) that shows its prompt, and nobody has typed at it; also if it was so
before. What was sent just now counts as typed, so to send a line and wait for this is to wait until that line is done.

In a terminal a line on stderr says how the session ended, or that the time is up. In JSON \`reason\` is how it waits for input, and \`end_reason\` why the
session ended.

Of a command that is started again (\`holt start --restart\`) each attempt is a session, and this waits for one of them: by name the one that runs, or waits to be
started. \`holt show ID\` names the next.

Exit codes: 0 a condition holds; 3 the session ended, and it was not waited for; 124 the time is up, as of timeout(1). With \`--exit-code\` the session's own
whenever it ended, and 1 if it never started or its holder was lost.`,
} as const satisfies Declaration;
