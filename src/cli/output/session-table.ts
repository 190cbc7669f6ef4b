/** The table of sessions, as `holt ls` and `holt` alone show it. */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { formatAge } from "../../protocol/types/duration.ts";
import type { Session } from "../../protocol/types/session.ts";
import { lastOutput } from "../../client/sessions/last-output.ts";
import { commandLine, describeState, nameOf, stateInList } from "./describe-session.ts";
import type { Style } from "./style.ts";
import { type Column, renderTable } from "./table.ts";
import { cutToWidth } from "../../terminal/text/width.ts";

/** Of the last line, through a pipe: a program's progress may be kilobytes of one. */
const LAST_OUTPUT_COLUMNS = 200;

const COLUMNS: readonly Column[] = [
  { header: "ID", comfortable: 12, least: 6, leaves: 3 },
  { header: "NAME", comfortable: 8, least: 4, leaves: null },
  { header: "STATE", comfortable: 99, least: 99, leaves: null },
  { header: "AGE", comfortable: 99, least: 3, leaves: 2 },
  { header: "COMMAND", comfortable: 14, least: 7, leaves: null },
  { header: "LAST OUTPUT", comfortable: 11, least: 0, leaves: 1 },
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

/** The same for a program: one line a session, fields between tabs. */
export function plainLine(sessions: LocalSessions, session: Session): string {
  const { words } = describeState(session);
  const last = cutToWidth(lastOutput(sessions, session), LAST_OUTPUT_COLUMNS);
  const fields = [nameOf(session), words, session.created_at, commandLine(session.argv), last];
  return `${session.session_id}\t${fields.join("\t")}\n`;
}
