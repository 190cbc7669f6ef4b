import type { Topic } from "../topics.ts";

export const SESSIONS: Topic = {
  name: "sessions",
  summary: "what a session is, its states, how to name one",
  text: `
# Sessions

A session is one command that holt runs, with all it started, its terminal or its pipes, and its transcript: every byte it
printed. \`holt run\` makes one and stays with it until the command ends. The transcript stays longer, so that you, a
script or an AI agent can read it: while the command runs, and afterwards.

# Its life
  starting → running → exited     the command ended by itself, with an exit code
                       signaled   a signal ended it
                       failed     it never started, or its holder was lost

Why it ended is its reason: \`completed\`, \`timeout\`, \`idle_timeout\`, \`spawn_failed\` or \`holder_lost\`. The holder is the process that looks after one session; when it is killed, the
transcript is still there up to the last byte, and \`holt show\` lists the processes it left behind.

# Naming one
Every session has an id, such as \`2kf0xq7ma3zt\`; ids made later sort later. On the command line the first characters are enough
as long as they fit one session only. A session may also have a name (\`holt run --name web -- …\`), which goes before the first
characters of an id. Names need not be unique: the one that runs is meant, and if that does not settle it, holt lists the
candidates and does nothing. There is no "latest" session: a command that guesses is a command that one day guesses wrong.

# How long it is kept
24 hours after its end, or as long as \`--retention\` said; then it goes by itself, at the next \`holt run\`. \`holt rm\` removes it
now, \`holt gc --dry-run\` shows what is due. Of one session at most 1 GiB of output is kept; the command runs on beyond that.

# What is never kept
What you type, and the values of environment variables. What the terminal shows is kept as it is, the echo of what you type
included: if a command prints or echoes a password, the transcript has it. It is readable by you alone.
`,
};
