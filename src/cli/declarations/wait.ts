import type { Declaration } from "../declaration.ts";

export const WAIT = {
  name: "wait",
  summary: "wait until a session has ended, printed something, or gone quiet",
  usage: ["holt wait ID [--until CONDITION]... [--since CURSOR] [--timeout DURATION] [--json]"],
  examples: [
    ["holt wait build", "until it has ended"],
    ["holt wait web --until match=listening --timeout 30s", "until it says so"],
    ["holt wait repl --until idle=500ms", "until it has printed nothing for half a second"],
    ["holt wait job --until output --until exit --since 4096", "whichever is first, past that cursor"],
  ],
  options: [
    {
      name: "until",
      short: "u",
      value: "CONDITION",
      summary: "exit (the default), output, idle=DURATION or match=REGEX; of several, any",
      repeats: true,
    },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "what was printed from there on counts (default: from now on)",
    },
    { name: "timeout", value: "DURATION", summary: "give up after this long (default: never)" },
    { name: "json", summary: "print the outcome, the cursor and what matched as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `Nothing is polled: the session itself wakes it. What matched is printed.

A regular expression is looked for in the text that was printed, without escape sequences, \`^\` and \`$\` at every line.

Exit codes: 0 a condition holds; 3 the session ended, and it was not waited for; 124 the time is up, as of timeout(1).`,
} as const satisfies Declaration;
