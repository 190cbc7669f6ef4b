/** `holt` alone: what runs, and where to begin. */
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
    writeOut(`${whatRuns(style)}\n${whereToBegin(style)}`);
    return 0;
  } catch (error) {
    return reportError(error, { json: false });
  }
}

function whatRuns(style: Style): string {
  const sessions = new LocalSessions();
  const { open, ended } = sessions.counts();
  const listed = open.filter(({ state }) => !isFinal(state));
  if (listed.length > 0 && !style.tty) return listed.map((session) => plainLine(sessions, session)).join("");
  if (listed.length > 0) return sessionTable({ sessions, listed, style, now: Date.now() });
  const kept = ended + open.length;
  const past = kept === 0 ? "" : ` ${plural(kept, "ended session")} kept.`;
  return `${style.paint("bold", "holt")}: nothing runs.${past}\n`;
}

function whereToBegin(style: Style): string {
  return renderPairs(
    [
      ["holt run -- COMMAND", "run a command as always; every byte it prints is kept"],
      ["holt start -- COMMAND", "start one in the background; it outlives this terminal"],
      ["holt attach ID", "sit down at its terminal; Ctrl-\\ d leaves again"],
      ["holt logs -f ID", "read a session's output, and follow it"],
      ["holt help", "everything else"],
    ],
    style,
  );
}
