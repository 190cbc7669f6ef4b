/** `holt gc`. */
import { type CleanupDecision, LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { retentionLimits, type QuickSettings, quickSettings } from "../../../config/quick-settings.ts";
import { openLog } from "../../../platform/log/log.ts";
import { oneLine } from "../../../terminal/text/one-line.ts";
import { command } from "../../declarations/command.ts";
import { GC } from "../../declarations/sessions/gc.ts";
import { formatBytes, plural } from "../../output/format.ts";
import { writeErr, writeJson, writeOut } from "../../output/output.ts";
import { type Style, stdoutStyle } from "../../output/style.ts";
import { renderTable } from "../../output/table.ts";

export const main = command(GC, async ({ options }) => {
  const style = stdoutStyle();
  const dryRun = options["dry-run"];
  const decisions = sweep(dryRun, await quickSettings());
  const gone = decisions.filter(({ result }) => result === "removed");
  const freed = gone.reduce((sum, { bytes }) => sum + bytes, 0);
  if (options.json) writeJson({ dry_run: dryRun, decisions, freed_bytes: freed }, style);
  else if (!style.tty)
    writeOut(gone.map(({ session_id, reason, bytes }) => `${oneLine(session_id)}\t${reason}\t${bytes}\n`).join(""));
  else writeOut(report({ gone, kept: decisions.length - gone.length, freed, dryRun, style }));
  const hasFailed = options.json ? decisions.some(({ result }) => result === "error") : reportFailures(decisions);
  return hasFailed ? 1 : 0;
});

/** Returns whether any removal failed. */
export function reportFailures(decisions: readonly CleanupDecision[]): boolean {
  const failed = decisions.filter(({ result }) => result === "error");
  for (const { session_id, reason } of failed)
    writeErr(`holt: cannot remove session: ${oneLine(session_id)} (${reason})\n`);
  return failed.length > 0;
}

function sweep(dryRun: boolean, settings: QuickSettings): CleanupDecision[] {
  const sessions = new LocalSessions();
  const kept = retentionLimits(settings);
  if (dryRun) return sessions.sweep({ ...kept, dryRun });
  using log = openLog(sessions.layout.logFile, settings.log);
  return sessions.sweep({ ...kept, log: (record) => log.write("info", "cleanup", { ...record }) });
}

interface Report {
  gone: readonly CleanupDecision[];
  kept: number;
  freed: number;
  dryRun: boolean;
  style: Style;
}

function report({ gone, kept, freed, dryRun, style }: Report): string {
  if (gone.length === 0) return `nothing to remove; ${plural(kept, "session")} kept\n`;
  const rows = gone.map(
    ({ session_id, reason, bytes }) =>
      [
        { text: oneLine(session_id), look: "accent" },
        { text: formatBytes(bytes), look: "plain" },
        { text: reason.replaceAll("_", " "), look: "dim" },
      ] as const,
  );
  const columns = [
    { header: "ID", preferredWidth: 12, minWidth: 6, dropOrder: null },
    { header: "SIZE", preferredWidth: 99, minWidth: 4, dropOrder: null },
    { header: "REASON", preferredWidth: 99, minWidth: 6, dropOrder: null },
  ];
  const verb = dryRun ? "would be removed" : "removed";
  return `${renderTable(columns, rows, style)}\n${plural(gone.length, "session")} ${verb}, ${formatBytes(freed)}; ${kept} kept\n`;
}
