import type { Topic } from "./topics.ts";

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

One that lives may be shown as \`stopped\` (Ctrl-Z, SIGSTOP), as \`quiet\` (it prints, reads and computes nothing), or as \`restarting\`, \`restarts in 4s\`: its
command has ended before and is started again when the wait is over (\`holt start --restart\`). Each attempt is a session; \`↻3\` is how many came before it. One
that was stopped while it waited is \`not started again\`.

# Why it ended: its reason
  completed\tit ended by itself, or by a signal from elsewhere
  stop_requested\t\`holt stop\`
  kill_requested\t\`holt kill\`
  timeout\tits \`--timeout\` was over; a table says so instead of the signal, other output has the signal
  idle_timeout\tthe same of \`--idle-timeout\`
  limit_exceeded\ta \`--limit\` on cpu (SIGXCPU) or file-size (SIGXFSZ) ended it; that a program gave up for want of memory, files or processes cannot be known
  spawn_failed\tit never started
  holder_lost\tits holder was killed
  daemon_shutdown\t\`holt daemon stop --stop-sessions\`

The holder is the process that looks after one session; when it is killed, the
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
