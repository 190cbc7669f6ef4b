import type { Declaration } from "../declaration.ts";

export const SEND = {
  name: "send",
  summary: "type into a session",
  usage: ["holt send ID --text TEXT [--enter] [--eof]", "holt send ID --stdin [--eof]", "holt send ID --eof"],
  examples: [
    ["holt send web --text rs --enter", "a word and Enter"],
    ["holt send psql --stdin < query.sql", "whatever comes on stdin, until it ends"],
    ["holt send sort --stdin --eof < words", "the same, and then the end of its input"],
  ],
  options: [
    { name: "text", short: "t", value: "TEXT", summary: "these characters, as they are" },
    { name: "enter", summary: "and Enter after them" },
    { name: "stdin", summary: "bytes from stdin, as they are" },
    { name: "eof", summary: "then the end of its input: Ctrl-D at a terminal, on pipes its stdin is closed" },
    { name: "json", summary: 'print {"bytes_written": N}' },
  ],
  positionals: { name: "ID", least: 1, most: 1, completes: "session" },
  about: `As typed at its terminal: the session's own terminal echoes it, if it does. Into a session of \`holt run\` only with \`--share\`, and never when that runs
on pipes: then the command reads the stdin that it was started with.`,
} as const satisfies Declaration;
