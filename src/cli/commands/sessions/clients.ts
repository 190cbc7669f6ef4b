/** `holt clients`. */
import { callHolder } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import type { AttachedClientInfo } from "../../../protocol/wire/attach.ts";
import { formatAge } from "../../../protocol/types/duration.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { CLIENTS } from "../../declarations/sessions/clients.ts";
import { label } from "../../output/describe-session.ts";
import { formatBytes } from "../../output/format.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { stdoutStyle } from "../../output/style.ts";
import { type Column, renderTable } from "../../output/table.ts";

const COLUMNS: readonly Column[] = [
  { header: "CLIENT", preferredWidth: 6, minWidth: 4, dropOrder: null },
  { header: "ROLE", preferredWidth: 17, minWidth: 6, dropOrder: null },
  { header: "SIZE", preferredWidth: 7, minWidth: 7, dropOrder: null },
  { header: "SINCE", preferredWidth: 5, minWidth: 3, dropOrder: 2 },
  { header: "LAG", preferredWidth: 7, minWidth: 3, dropOrder: 3 },
  { header: "PID", preferredWidth: 7, minWidth: 3, dropOrder: 4 },
  { header: "WHERE", preferredWidth: 10, minWidth: 4, dropOrder: 1 },
];

export const main = command(CLIENTS, async ({ options, positionals: [reference = ""] }) => {
  const session = new LocalSessions().resolve(reference);
  // An ended session has no clients.
  const { clients } = isFinal(session.state) ? { clients: [] } : await callHolder(session, "clients", {});
  const style = stdoutStyle();
  if (options.json) writeJson({ clients }, style);
  else if (!style.tty) writeOut(clients.map(plainLine).join(""));
  else if (clients.length === 0) writeErr(`no client is attached to ${label(session)}\n`);
  else writeOut(renderTable(COLUMNS, clients.map(rowOf), style));
  return 0;
});

function rowOf(client: AttachedClientInfo) {
  const { client_id, role, attached_at, lag_bytes, pid, label: where, has_lease } = client;
  return [
    { text: client_id, look: "accent" },
    { text: has_lease ? `${role} (keyboard)` : role, look: role === "driver" ? "plain" : "dim" },
    { text: sizeOf(client), look: "plain" },
    { text: formatAge(Date.now() - Date.parse(attached_at)), look: "dim" },
    { text: formatBytes(lag_bytes), look: lag_bytes > 0 ? "warn" : "dim" },
    { text: String(pid), look: "dim" },
    { text: oneLine(where), look: "dim" },
  ] as const;
}

function plainLine(client: AttachedClientInfo): string {
  const { client_id, role, attached_at, lag_bytes, pid, label: where, has_lease } = client;
  const keyboard = has_lease ? "keyboard" : "";
  return `${[client_id, role, sizeOf(client), attached_at, lag_bytes, pid, oneLine(where), keyboard].join("\t")}\n`;
}

function sizeOf({ size }: AttachedClientInfo): string {
  return size === null ? "–" : `${size.cols}x${size.rows}`;
}
