/** `holt help environment`. */
import { SETTINGS } from "../../protocol/types/settings.ts";
import type { Topic } from "./topics.ts";

const SETTING_LINES = Object.values(SETTINGS)
  .map(({ variable, help }) => `  ${variable}\t${help}`)
  .join("\n");

export const ENVIRONMENT: Topic = {
  name: "environment",
  summary: "environment variables and files",
  text: `
# Variables that holt reads
  HOLT_STATE_DIR\tthe state directory; use an absolute path, ~ is not expanded
  XDG_STATE_HOME\tif HOLT_STATE_DIR is not set: the state directory is $XDG_STATE_HOME/holt
  HOME\tif neither is set: the state directory is ~/.local/state/holt
  LOCALAPPDATA\ton Windows: %LOCALAPPDATA%\\holt\\state
  XDG_CONFIG_HOME\tthe directory of \`holt/config.toml\` (default ~/.config)
  HOLT_PTY_MAX_CLIENTS\tan example: every configuration key has a variable, which overrides the file; \`holt config show\` lists the keys; a shorter variable for the same setting, here HOLT_MAX_CLIENTS, overrides both
  NO_COLOR\tany value: no colour, as with CLICOLOR=0 and TERM=dumb
  HOLT_DEBUG\tany value: an internal error also prints its stack
  HOLT_NO_DAEMON\tany value: \`holt start\` starts no daemon; slower, for tests and sandboxes
  HOLT_QUIET_AFTER\ta duration (default 10m): a session that prints, reads and computes nothing for this long is listed as quiet; it keeps running
${SETTING_LINES}
  HOLT_FS_ROOTS\tthe key fs.roots: directories, separated by colons, in which the daemon's fs.* methods read and write
  HOLT_NO_OPENAT2\t1: fs.* methods open each part of a path separately, as on kernels before 5.6
  HOLT_NO_NATIVE\t1: use no native code; slower, for systems that forbid it
  BUN_OPTIONS\toptions of the Bun runtime inside holt, read before any code of holt
  BUN_BE_BUN\t1: the executable runs as plain bun, not as holt

# Variables that holt sets
  HOLT_SESSION_ID\tfor the command: the id of its session
  HOLT_CHANNEL_NAME_FD, _PATH, _SOCKET\tfor the command: the descriptor, file or socket of an extra channel; NAME is the channel's name in capitals

holt changes nothing else in the command's environment. It records the names of the variables, never
their values.

# Files in the state directory
  sessions/ID/meta.json\tthe command, where and when it was started
  sessions/ID/output.bin\tthe transcript: its output, byte for byte
  sessions/ID/index.jsonl\tthe time and channel of each part of the output
  sessions/ID/events.jsonl\tresizes, state changes, gaps
  sessions/ID/final.json\thow it ended
  sessions/ID/append.lock\tlocked by the session's holder while it runs
  run/\tsockets of running sessions; the next sweep removes those of killed ones
  run/daemon.sock\tthe daemon's socket
  run/daemon.lock\tlocked by the daemon while it runs
  log/holt.jsonl\tholt's own log
  log/audit.jsonl\tcalls to the daemon: caller, method and result
  log/kept\tsessions that the last sweep kept and logged
  log/expiring\texpired sessions and when they were found; a sweep removes them 10 minutes later
  approvals/\tcommands that wait for your approval (\`holt approvals\`)
  holt.db\tan index of ended sessions for a fast \`holt ls\`; rebuilt if deleted
  swept\tits modification time is the time of the last sweep

Directories have mode 0700 and files 0600, whatever your umask; an existing state directory keeps
its mode. You may read these files, but \`holt logs\` and \`holt show --json\` print the same data
and stay stable when the file formats change.
`,
};
