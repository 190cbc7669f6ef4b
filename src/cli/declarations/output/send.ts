import { shellWord } from "../../../protocol/types/shell-word.ts";
import type { Declaration } from "../declaration.ts";
import { OTHERS, UNTIL } from "./wait.ts";

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
    ["holt send web --text rs --enter", "a word and Enter"],
    ["holt send gdb -t run --enter --until match=Breakpoint", "and wait for what it prints in answer"],
    ["holt send vim --keys escape,:,w,q,enter", "keys by name"],
    ["holt send repl --paste script.py", "a file, as if it were pasted; - is stdin"],
    ["holt send sudo --secret --enter", "a password: asked for here without showing it, or the first line of stdin"],
    ["holt send psql --stdin < query.sql", "whatever comes on stdin, until it ends"],
    ["holt send sort --stdin --eof < words", "the same, and then the end of its input"],
  ],
  options: [
    { name: "text", short: "t", value: "TEXT", summary: "these characters, as they are" },
    { name: "enter", summary: "and Enter after the text or the paste" },
    {
      name: "keys",
      short: "k",
      value: "KEYS",
      summary: "keys by name, separated by commas: ctrl-c, up, enter, f5, alt-x, comma … (may be given again)",
      repeats: true,
    },
    {
      name: "paste",
      value: "FILE",
      completes: "file",
      summary: "a file's contents (up to 2 MiB), as pasted: bracketed where the program asked for that",
    },
    {
      name: "secret",
      summary: "what is asked for here, or a line from stdin, only while the terminal does not show it",
    },
    { name: "stdin", summary: "bytes from stdin, as they are" },
    { name: "eof", summary: "then the end of its input: Ctrl-D at a terminal, on pipes its stdin is closed" },
    { ...UNTIL, summary: `then wait for what comes of it, as \`holt wait\`: exit, ${OTHERS}` },
    { name: "timeout", value: "DURATION", summary: "wait for this long at most (default: for ever)" },
    { name: "takeover", summary: "take the keyboard, where one alone may type" },
    {
      name: "json",
      summary:
        'print {"bytes_written": N, "next_cursor": "M"}: what is printed in answer is past cursor M; with --until also what holt wait prints',
    },
  ],
  positionals: {
    name: "ID",
    least: 1,
    most: 1,
    completes: "living",
    beyond: (words) => `use --text ${shellWord(words.join(" "))} --enter`,
  },
  about: `As typed at its terminal: the session's own terminal echoes it, if it does. Into a session of \`holt run\` only with \`--share\`, and never when that runs
on pipes: then the command reads the stdin that it was started with.

Keys follow the modes that the program set: an arrow is sent as it expects one. tmux's spellings (C-c, M-x, Up) are understood too. \`--keys\` may be
given with \`--text\` or \`--paste\`: they go last.

A secret is recorded nowhere, not even its length. It is refused while the session's terminal would show it: \`holt wait ID --until input\` tells (echo_off)
when a program asks for a line that is not shown. A program that draws what is typed itself, with asterisks, takes it as any text: \`--stdin\`.

\`holt show\` and an event name the bytes that the program had not read when it ended (\`unread\`; \`input_unread\` in JSON and in events).

With \`--until\`, \`output\` and \`match=\` count only what is printed after this was typed, however fast the program is. The terminal's echo of the line is printed,
too: what would match it wants anchors, \`--text 'make && echo OK' --enter --until 'match=^OK$'\`. \`screen=\` holds also if the screen showed it before.
Exit codes are then those of \`holt wait\`: 0 a condition holds; 3 the session ended, and it was not waited for; 124 the time is up.`,
} as const satisfies Declaration;
