/**
 * `holt __sweep`: automatic retention. Marks expired sessions for a later sweep to remove
 * (transcript/retention/expiry.ts).
 */
import { type CleanupDecision, LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { retentionLimits, type QuickSettings, quickSettings } from "../../../config/quick-settings.ts";
import { type Log, openLog } from "../../../platform/log/log.ts";
import { reportFailures } from "./gc.ts";

export async function main(): Promise<number> {
  try {
    const settings = await quickSettings();
    const sessions = new LocalSessions();
    using log = openLog(sessions.layout.logFile, settings.log);
    return reportFailures(sweepMarkingExpired(sessions, log, settings)) ? 1 : 0;
  } catch (error) {
    const { reportError } = await import("../../output/report-error.ts");
    return reportError(error, { json: false });
  }
}

export function sweepMarkingExpired(sessions: LocalSessions, log: Log, settings: QuickSettings): CleanupDecision[] {
  return sessions.sweep({
    ...retentionLimits(settings),
    expired: "mark",
    log: (record) => log.write("info", "cleanup", { ...record }),
  });
}
