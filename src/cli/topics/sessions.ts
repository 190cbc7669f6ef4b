/** `holt help sessions`. */
import type { Topic } from "./topics.ts";

export const SESSIONS: Topic = {
  name: "sessions",
  summary: "sessions, their states and their names",
  text: `
# Sessions

A session is one command with every process it started, its terminal or pipes, and its transcript:
every byte it printed. \`holt run\` runs a session in the foreground, \`holt start\` in the
background. You, a script or an AI agent can read the transcript while the command runs and after it
has ended.

Each session has a holder, the process that runs and records it. If the holder is killed, the
transcript is complete up to that moment, and \`holt show\` lists the processes that were left
running.

# States
  starting → running → exited     the command ended, with an exit code
                       signaled   a signal ended it
                       failed     it never started, or its holder was lost

A running session can also be listed as:

  stopped\tsuspended by Ctrl-Z or SIGSTOP
  quiet\tit prints, reads and computes nothing
  restarting, restarts in 4s\tit ended and is started again when the delay is over (\`holt start --restart\`)

Each restart is a new session; \`↻3\` is the number of attempts before it. \`not started again\`
means that it was stopped during the delay.

# Reasons
  completed\tit ended by itself, or by a signal from outside holt
  stop_requested\t\`holt stop\`
  kill_requested\t\`holt kill\`
  timeout\t\`--timeout\` expired; tables show this instead of the signal
  idle_timeout\t\`--idle-timeout\` expired
  limit_exceeded\tit exceeded a \`--limit\` on cpu (SIGXCPU), file-size (SIGXFSZ) or session-memory; holt cannot tell when a program fails because of another limit
  spawn_failed\tit never started
  holder_lost\tits holder was killed
  daemon_shutdown\t\`holt daemon stop --stop-sessions\`

# Ids and names
Every session has an id, such as \`2kf0xq7ma3zt\`; later sessions have higher ids. On the command
line the first characters are enough if only one session matches. A session can also have a name
(\`holt run --name web -- …\`). Names take precedence over id prefixes and need not be unique: a
running session wins over ended ones. If several still match, holt lists them and does nothing.
There is no "latest" session, because a wrong guess would act on the wrong one.

# Retention
An ended session is kept for 24 hours, or as long as \`--retention\` says, and then removed
automatically. \`holt rm\` removes it now; \`holt gc --dry-run\` shows which sessions are due. holt
records at most 1 GiB of output per session; the command keeps running past that.

# What is not recorded
holt records neither your input nor the values of environment variables. It does record everything
that the terminal shows: if a command prints or echoes a password, the transcript contains it. Only
your user can read the files.
`,
};
