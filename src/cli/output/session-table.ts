/** Formats sessions for `holt ls` and for `holt` without arguments. */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { formatAge } from "../../protocol/types/duration.ts";
import type { Session } from "../../protocol/types/session.ts";
import { lastOutput } from "../../client/sessions/last-output.ts";
import { commandLine, describeState, nameOf, stateInList } from "./describe-session.ts";
import type { Style } from "./style.ts";
import { type Column, renderTable } from "./table.ts";
import { cutToWidth } from "../../terminal/text/width.ts";

/**
 * Limit of the last line of output when stdout is not a terminal: a progress bar can be kilobytes
 * long.
 */
const LAST_OUTPUT_COLUMNS = 200;

const COLUMNS: readonly Column[] = [
  { header: "ID", preferredWidth: 12, minWidth: 6, dropOrder: 3 },
  { header: "NAME", preferredWidth: 8, minWidth: 4, dropOrder: null },
  { header: "STATE", preferredWidth: 99, minWidth: 99, dropOrder: null },
  { header: "AGE", preferredWidth: 99, minWidth: 3, dropOrder: 2 },
  { header: "COMMAND", preferredWidth: 14, minWidth: 7, dropOrder: null },
  { header: "LAST OUTPUT", preferredWidth: 11, minWidth: 0, dropOrder: 1 },
];

export interface TableInput {
  sessions: LocalSessions;
  listed: readonly Session[];
  style: Style;
  now: number;
}

export function sessionTable({ sessions, listed, style, now }: TableInput): string {
  const rows = listed.map((session) => {
    const { text: state, look } = stateInList(session);
    const name = nameOf(session);
    return [
      { text: session.session_id, look: "accent" },
      { text: name === "" ? "–" : name, look: name === "" ? "dim" : "bold" },
      { text: state, look },
      { text: formatAge(now - Date.parse(session.created_at)), look: "dim" },
      { text: commandLine(session.argv), look: "plain" },
      { text: lastOutput(sessions, session), look: "dim" },
    ] as const;
  });
  return renderTable(COLUMNS, rows, style);
}

/** One line per session with tab-separated fields, for programs. */
export function plainLine(sessions: LocalSessions, session: Session): string {
  const { words } = describeState(session);
  const last = cutToWidth(lastOutput(sessions, session), LAST_OUTPUT_COLUMNS);
  const fields = [nameOf(session), words, session.created_at, commandLine(session.argv), last];
  return `${session.session_id}\t${fields.join("\t")}\n`;
}
