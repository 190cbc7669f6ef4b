/** Attaches to the new session of `holt start --attach`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { getSize, isTerminal } from "../../../platform/tty/terminal-device.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { DEFAULT_SIZE } from "../../../protocol/wire/start-request.ts";
import { attachTo, showLastScreen } from "./attach-to.ts";
import { describeState, label } from "../../output/describe-session.ts";
import { writeErr } from "../../output/output.ts";
import { reportError } from "../../output/report-error.ts";

const DEFAULT_OPTIONS = {
  role: "driver",
  takesPart: true,
  replay: "screen",
  replaces: false,
  takeover: false,
  since: null,
  detachKeys: null,
  scrollbackBytes: null,
  allowClipboard: false,
  exitCode: false,
} as const;

export function ownSize(): { cols: number; rows: number } {
  if (!isTerminal(1)) return DEFAULT_SIZE;
  const { cols, rows } = getSize(1);
  return cols > 0 && rows > 0 ? { cols, rows } : DEFAULT_SIZE;
}

export async function attachToNew(id: string): Promise<never> {
  const sessions = new LocalSessions();
  // Exits explicitly: the terminal watcher would keep the process running.
  process.exit(await attached(sessions, id));
}

/** If the session ended before the attach, prints its last screen and how it ended. */
async function attached(sessions: LocalSessions, id: string): Promise<number> {
  try {
    return await attachTo(sessions, sessions.get(id), DEFAULT_OPTIONS);
  } catch (error) {
    const session = sessions.get(id);
    if (!isFinal(session.state)) return reportError(error, { json: false });
    await showLastScreen(sessions, id);
    writeErr(`holt: ${label(session)} ${describeState(session).words}\n`);
    return 0;
  }
}
