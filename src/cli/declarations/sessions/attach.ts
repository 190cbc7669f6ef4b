/** Options and help page of `holt attach`. */
import { REPLAYS } from "../../../protocol/wire/attach.ts";
import type { Declaration } from "../declaration.ts";

export const ATTACH = {
  name: "attach",
  summary: "attach your terminal to a session",
  usage: ["holt attach [ID] [options]"],
  examples: [
    ["holt attach web", "show its screen and send it your keys; Ctrl-\\ d detaches"],
    ["holt attach", "attach to the only running session"],
    ["holt attach --read-only build", "watch without typing"],
    ["holt attach -d repl", "detach all other clients first"],
    ["holt attach --exit-code job", "exit with the session's exit code"],
  ],
  options: [
    { name: "read-only", short: "r", summary: "watch only: ignore your keys and your terminal's size" },
    { name: "detach-others", short: "d", summary: "detach all other clients" },
    { name: "takeover", summary: "take the keyboard from its owner, if only one client may type" },
    {
      name: "size",
      value: "RULE",
      choices: ["take-part", "ignore"],
      summary: "whether your terminal's size affects the session's size: take-part (default) or ignore",
    },
    {
      name: "replay",
      value: "WHAT",
      choices: REPLAYS,
      summary: "what to show first: screen (default), raw (the last output, byte for byte) or none",
    },
    {
      name: "since",
      value: "CURSOR",
      kind: "count",
      counts: "bytes: a cursor",
      summary: "show the output from this cursor first, byte for byte (see `holt help cursors`)",
    },
    {
      name: "scrollback-bytes",
      value: "BYTES",
      summary: "how much output to show with --replay raw (default 1M, at most 4M)",
    },
    {
      name: "allow-clipboard",
      summary: "let the session write to your clipboard (OSC 52); it can never read it",
    },
    { name: "detach-keys", value: "KEYS", summary: "keys that detach (default ctrl-\\ d)" },
    { name: "exit-code", summary: "exit with the session's exit code when it ends, or if it has ended" },
  ],
  positionals: { name: "ID", least: 0, most: 1, completes: "living" },
  about: `All attached clients see the same screen, and all of them type to the same command. Ctrl-\\ followed
by d detaches; the session keeps running. Press Ctrl-\\ twice to send one Ctrl-\\. With
\`--read-only\`, Ctrl-C detaches too.

If only one client may type (\`holt start --input lease\`) and it is not you, the last row shows
which client has the keyboard; \`--takeover\` takes it. An attach in a background job stops until
you bring it to the foreground.

The smallest attached terminal sets the session's size; \`holt start --size-rule\` changes the rule.
On a larger terminal the rest stays blank. On a terminal of the same size, the bytes pass unchanged,
except queries to your terminal and clipboard writes.

Attach connects directly to the session's holder and needs no daemon.

# Exit codes
  0\tdetached, or the session has ended
  1\tcannot attach, or the session's holder was lost
  N\twith \`--exit-code\`: the session's exit code`,
} as const satisfies Declaration;
