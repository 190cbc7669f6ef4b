/** Options and help page of `holt wait`. */
import type { Declaration } from "../declaration.ts";

/** `--until`, without its summary: `holt send` has the same option. */
export const UNTIL = {
  name: "until",
  short: "u",
  value: "CONDITION",
  offers: ["exit", "output", "idle=", "match=", "screen=", "input", "prompt", "port", "port="],
  repeats: true,
} as const;
/** The conditions of `--until` besides "exit", for its summary. */
export const CONDITIONS =
  "output, idle=DURATION, match=REGEX, screen=REGEX, input, prompt, port or port=NUMBER; the first of several counts";

export const WAIT = {
  name: "wait",
  summary: "wait until a session ends or meets a condition",
  usage: ["holt wait ID [--until CONDITION]... [--since CURSOR] [--timeout DURATION] [--exit-code] [--json]"],
  examples: [
    ["holt wait build", "until it ends"],
    ["holt wait --exit-code build", "until it ends, and exit with its exit code"],
    ["holt wait web --until match=listening --timeout 30s", "until it prints a match, at most 30 seconds"],
    ["holt wait htop --until screen=Load", "until its screen shows a match"],
    ["holt wait repl --until idle=500ms", "until it has printed nothing for half a second"],
    ["holt wait deploy --until input", "until it waits for input; prints `reading`, or `echo_off` for a password"],
    ["holt wait work --until prompt", "until a shell is at its prompt"],
    ["holt wait web --until port=8080 --until exit", "until it listens on a port, or ends"],
    ["holt wait job --until output --until exit --since 4096", "until it prints past a cursor, or ends"],
  ],
  options: [
    { ...UNTIL, summary: `exit (the default), ${CONDITIONS}` },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "consider output from this cursor on (default: from now on)",
    },
    { name: "timeout", value: "DURATION", summary: "give up after this long (default: never)" },
    { name: "exit-code", summary: "exit with the session's exit code if it ends; 128+N for signal N" },
    { name: "json", summary: "print the outcome, the cursor, the match and how the session ended as JSON" },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "living" },
  about: `Prints what it found: the match, how the program waits for input, or the address and port. On a
terminal, stderr says how the session ended or that the timeout expired. In JSON, \`reason\` is how
the program waits for input, and \`end_reason\` why the session ended.

# Conditions
  exit\tthe session ends
  output\tit prints anything
  idle=DURATION\tit prints nothing for this long
  match=REGEX\tits output matches, without escape sequences; \`^\` and \`$\` match at every line. A match may begin up to 4,096 characters before the start of the wait
  screen=REGEX\tits screen matches, row by row
  input\tit waits for input and does nothing else: \`reading\`, or \`echo_off\` when the input is not shown. A program that also waits for the network, works or sleeps does not count
  prompt\ta bash, zsh or fish session (see \`holt help exec\`) shows its prompt and nothing is typed there
  port, port=NUMBER\tone of its processes listens for TCP connections

\`screen\`, \`input\`, \`prompt\` and \`port\` also hold if they were true before the wait began.
\`input\` and \`port\` work on Linux only; the holder checks them 25 ms after the last output, and
then at least four times a second.

To send input and wait for the answer, use \`holt send ID --text TEXT --enter --until match=REGEX\`:
a fast program may answer before a separate \`holt wait\` begins.

With \`holt start --restart\`, each attempt is a session, and \`holt wait\` waits for one of them. A
name selects the attempt that runs or is about to start; \`holt show ID\` names the next one.

# Exit codes
  0\ta condition holds
  3\tthe session ended first
  124\tthe timeout expired
  N\twith \`--exit-code\`: the session's exit code; 1 if it never started or its holder was lost`,
} as const satisfies Declaration;
