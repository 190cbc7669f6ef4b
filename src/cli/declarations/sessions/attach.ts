import { REPLAYS } from "../../../protocol/wire/attach.ts";
import type { Declaration } from "../declaration.ts";

export const ATTACH = {
  name: "attach",
  summary: "sit down at a session's terminal",
  usage: ["holt attach [ID] [options]"],
  examples: [
    ["holt attach web", "its screen as it is now, and your keys; Ctrl-\\ d leaves again"],
    ["holt attach", "the one that runs, if there is just one"],
    ["holt attach --read-only build", "look, and touch nothing"],
    ["holt attach -d repl", "and detach everybody else"],
    ["holt attach --exit-code job", "end as the session ends"],
  ],
  options: [
    { name: "read-only", short: "r", summary: "watch: your keys go nowhere, and your size does not count" },
    { name: "detach-others", short: "d", summary: "detach everybody else" },
    { name: "takeover", summary: "take the keyboard, where one alone may type" },
    {
      name: "size",
      value: "RULE",
      choices: ["take-part", "ignore"],
      summary: "whether your terminal's size counts for the session's: take-part (default) or ignore",
    },
    {
      name: "replay",
      value: "WHAT",
      choices: REPLAYS,
      summary: "what you see first: screen (default), raw (the last output as it was printed) or none",
    },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "instead: what was printed from this byte of the transcript on, as it was (see `holt help cursors`)",
    },
    {
      name: "scrollback-bytes",
      value: "BYTES",
      summary: "how much of the last output comes with --replay raw (1M; at most 4M)",
    },
    {
      name: "allow-clipboard",
      summary: "what it writes to a clipboard (OSC 52) goes to yours; what it asks of it never does",
    },
    { name: "detach-keys", value: "KEYS", summary: "how to leave (ctrl-\\ d)" },
    { name: "exit-code", summary: "end with the session's exit code, if it ends meanwhile or has ended before" },
  ],
  positionals: { name: "ID", least: 0, most: 1, completes: "living" },
  about: `You see what everybody attached sees, and what all of you type goes to the command. Ctrl-\\ and then d leaves; the session does not notice. Ctrl-\\ twice
sends one Ctrl-\\. Where one alone may type (\`holt start --input lease\`) and that is not you, the last row says who does; \`--takeover\` takes the keyboard.
Who only watches leaves with Ctrl-C, too. As a job in the background it waits, stopped, until it is brought to the front.

Of several terminals the smallest decides the session's size (\`holt start --size-rule\` says otherwise); on a larger one the rest stays blank. A terminal
of just the session's size is sent its bytes as they are, without those that ask your terminal questions or write to your clipboard.

Attaching goes straight to the session's holder: no daemon is needed, and none is missed. Exit codes: 0 detached, or the session has ended; 1 it could not be
attached to, or its holder was lost; with \`--exit-code\` the session's own.`,
} as const satisfies Declaration;
