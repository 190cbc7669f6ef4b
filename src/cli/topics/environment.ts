import { SETTINGS } from "../../protocol/types/settings.ts";
import type { Topic } from "./topics.ts";

const SETTING_LINES = Object.values(SETTINGS)
  .map(({ variable, says }) => `  ${variable}\t${says}`)
  .join("\n");

export const ENVIRONMENT: Topic = {
  name: "environment",
  summary: "variables and files that holt looks at",
  text: `
# Variables that holt reads
  HOLT_STATE_DIR\twhere everything is kept; relative to the working directory, or better absolute; not with ~
  XDG_STATE_HOME\totherwise $XDG_STATE_HOME/holt
  HOME\totherwise ~/.local/state/holt
  LOCALAPPDATA\ton Windows: %LOCALAPPDATA%\\holt\\state
  XDG_CONFIG_HOME\twhere \`holt/config.toml\` is looked for, else in ~/.config
  HOLT_PTY_MAX_CLIENTS\tand so on: each key of the configuration has its variable, which counts before the file; \`holt config show\` lists the keys
  NO_COLOR\tany value: no colour; so do CLICOLOR=0 and TERM=dumb
  HOLT_DEBUG\tany value: an internal error also prints where it happened
  HOLT_NO_DAEMON\tany value: \`holt start\` starts its own holder and no daemon; a little slower, for tests and sandboxes
  HOLT_QUIET_AFTER\ta duration (10m): a session that prints, reads and computes nothing for so long is listed as quiet; nobody ends it
${SETTING_LINES}
  HOLT_FS_ROOTS\tdirectories, between colons, below which the daemon's fs.* methods read and write: fs.roots of the configuration
  HOLT_NO_OPENAT2\t1: fs.* open each part of a name by itself, as on kernels before 5.6
  HOLT_NO_NATIVE\t1: no native code; slower, for systems that forbid it
  BUN_OPTIONS\tread by the runtime inside holt, as is BUN_BE_BUN=1, which makes it a plain bun

# Variables that holt sets
  HOLT_SESSION_ID\tfor the command: the id of the session it runs in
  HOLT_CHANNEL_NAME_FD, _PATH, _SOCKET\tfor the command: where it writes to a channel of its own

Nothing else about the command's environment is changed, and only the names of its variables are recorded, never their values.

# Files
  sessions/ID/meta.json\tthe command, where and when it was started
  sessions/ID/output.bin\tits output: the transcript, byte for byte
  sessions/ID/index.jsonl\twhich bytes came when, and on which channel
  sessions/ID/events.jsonl\tresizes, changes of state, gaps
  sessions/ID/final.json\thow it ended
  sessions/ID/append.lock\theld by the session's holder for as long as it lives
  run/daemon.sock\twhere the daemon listens; run/daemon.lock is held by it for as long as it lives
  run/\tthe sockets of living sessions; what a killed one leaves goes with the next sweep
  log/holt.jsonl\twhat holt did, for when something went wrong
  log/audit.jsonl\twho called the daemon for what, and what became of it
  approvals/\twhat waits for your yes or no (\`holt approvals\`)
  log/kept\twhat the last sweep kept and the log was told of
  log/expiring\tsessions that a sweep found expired, and when: they go 10 minutes later
  holt.db\twhat is known of ended sessions, for a fast \`holt ls\`; made anew when it is deleted
  swept\tits time is that of the last sweep

Directories are 0700 and files 0600, whatever your umask; only a state directory that was there before keeps its own mode. Read
them as you like; \`holt logs\` and \`holt show --json\` say the same and will go on saying it when the files change.
`,
};
