/** Options and help page of `holt send`. */
import { shellWord } from "../../../protocol/types/shell-word.ts";
import type { Declaration } from "../declaration.ts";
import { CONDITIONS, UNTIL } from "./wait.ts";

export const SEND = {
  name: "send",
  summary: "type into a session",
  usage: [
    "holt send ID --text TEXT [--enter] [--eof]",
    "holt send ID --keys KEY[,KEY...]",
    "holt send ID --paste FILE [--enter]",
    "holt send ID --secret [--enter]",
    "holt send ID --stdin [--eof]",
    "holt send ID --eof",
    "holt send ID ... --until CONDITION... [--timeout DURATION]",
  ],
  examples: [
    ["holt send web --text rs --enter", "type a word and press Enter"],
    ["holt send gdb -t run --enter --until match=Breakpoint", "and wait for the output"],
    ["holt send vim --keys escape,:,w,q,enter", "press keys"],
    ["holt send repl --paste script.py", "paste a file; - is stdin"],
    ["holt send sudo --secret --enter", "send a password, read from a hidden prompt or the first line of stdin"],
    ["holt send psql --stdin < query.sql", "send stdin until it ends"],
    ["holt send sort --stdin --eof < words", "send stdin, then end-of-file"],
  ],
  options: [
    { name: "text", short: "t", value: "TEXT", summary: "type this text" },
    { name: "enter", summary: "press Enter after the text, paste or secret" },
    {
      name: "keys",
      short: "k",
      value: "KEYS",
      summary: "press these keys, separated by commas: ctrl-c, up, enter, f5, alt-x, comma … (repeatable)",
      repeats: true,
    },
    {
      name: "paste",
      value: "FILE",
      completes: "file",
      summary: "paste a file (at most 2 MiB); uses bracketed paste if the program enabled it",
    },
    {
      name: "secret",
      summary: "send a password, read from a hidden prompt or a line of stdin; only while the session's echo is off",
    },
    { name: "stdin", summary: "send the bytes of stdin unchanged" },
    { name: "eof", summary: "then send end-of-file: Ctrl-D on a terminal; on pipes, close stdin" },
    { ...UNTIL, summary: `then wait like \`holt wait\`: exit, ${CONDITIONS}` },
    { name: "timeout", value: "DURATION", summary: "with --until: wait at most this long (default: no limit)" },
    { name: "takeover", summary: "take the keyboard from its owner, if only one client may type" },
    {
      name: "json",
      summary:
        'print {"bytes_written": N, "next_cursor": "M"}; output that follows is past cursor M; with --until also what `holt wait` prints',
    },
  ],
  positionals: {
    name: "ID",
    least: 1,
    most: 1,
    completes: "living",
    hintForExtra: (words) => `use --text ${shellWord(words.join(" "))} --enter`,
  },
  about: `The input arrives as if typed at the session's terminal, including the terminal's echo. A session of
\`holt run\` accepts input only with \`--share\`, and never when it runs on pipes.

# Keys
Keys follow the modes that the program set, such as application cursor keys. tmux names (C-c, M-x,
Up) work too. With \`--text\` or \`--paste\`, the keys are sent last.

# Secrets
A secret is recorded nowhere, not even its length. It is refused while the session's terminal would
echo it: \`holt wait ID --until input\` prints \`echo_off\` when a program reads a line without
echo. A program that draws its own asterisks needs \`--stdin\` instead.

# Waiting for the answer
With \`--until\`, \`output\` and \`match=\` consider only output after the input, however fast the
program answers. The terminal's echo of the input is output too; use anchors to skip it:
\`--text 'make && echo OK' --enter --until 'match=^OK$'\`. \`screen=\` also matches text that was
already on the screen.

# Unread input
Bytes that the program had not read when it ended are listed by \`holt show\` (\`unread\`) and in
JSON and events (\`input_unread\`).

# Exit codes
With \`--until\`, those of \`holt wait\`: 0 a condition holds; 3 the session ended first; 124 the
timeout expired.`,
} as const satisfies Declaration;
