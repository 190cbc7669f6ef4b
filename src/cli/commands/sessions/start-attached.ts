/** `holt start --attach`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { getSize, isTerminal } from "../../../platform/tty/terminal-device.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { DEFAULT_SIZE } from "../../../protocol/wire/start-request.ts";
import { attachTo, showLastScreen } from "./attach-to.ts";
import { describeState, label } from "../../output/describe-session.ts";
import { writeErr } from "../../output/output.ts";
import { reportError } from "../../output/report-error.ts";

const AS_USUAL = {
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
  // What watches the terminal would keep the process for ever.
  process.exit(await attached(sessions, id));
}

/** It may have ended before anybody could be attached to it: then that is what there is to say. */
async function attached(sessions: LocalSessions, id: string): Promise<number> {
  try {
    return await attachTo(sessions, sessions.get(id), AS_USUAL);
  } catch (error) {
    const session = sessions.get(id);
    if (!isFinal(session.state)) return reportError(error, { json: false });
    await showLastScreen(sessions, id);
    writeErr(`holt: ${label(session)} ${describeState(session).words}\n`);
    return 0;
  }
}
