/** `holt` without arguments: running sessions and first commands. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { plural } from "../../output/format.ts";
import { writeOut } from "../../output/output.ts";
import { renderPairs } from "../../output/page.ts";
import { reportError } from "../../output/report-error.ts";
import { plainLine, sessionTable } from "../../output/session-table.ts";
import { type Style, stdoutStyle } from "../../output/style.ts";

export async function main(_args: string[]): Promise<number> {
  try {
    const style = stdoutStyle();
    writeOut(`${runningSessions(style)}\n${firstCommands(style)}`);
    return 0;
  } catch (error) {
    return reportError(error, { json: false });
  }
}

function runningSessions(style: Style): string {
  const sessions = new LocalSessions();
  const { open, ended } = sessions.counts();
  const listed = open.filter(({ state }) => !isFinal(state));
  if (listed.length > 0 && !style.tty) return listed.map((session) => plainLine(sessions, session)).join("");
  if (listed.length > 0) return sessionTable({ sessions, listed, style, now: Date.now() });
  const kept = ended + open.length;
  const past = kept === 0 ? "" : ` ${plural(kept, "ended session")} kept.`;
  return `${style.paint("bold", "holt")}: no session is running.${past}\n`;
}

function firstCommands(style: Style): string {
  return renderPairs(
    [
      ["holt run -- COMMAND", "run a command and record its output"],
      ["holt start -- COMMAND", "start a command in the background"],
      ["holt attach ID", "attach your terminal to it; Ctrl-\\ d detaches"],
      ["holt logs -f ID", "follow a session's output"],
      ["holt help", "list all commands"],
    ],
    style,
  );
}
