/** `holt __sweep`: automatic retention. It marks expired sessions, and a later sweep removes them (transcript/retention/expiry.ts); `holt gc` removes them at once. */
import { type CleanupDecision, LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { keeping, type QuickSettings, quickSettings } from "../../../config/quick-settings.ts";
import { type Log, openLog } from "../../../platform/log/log.ts";
import { tellFailures } from "./gc.ts";

export async function main(): Promise<number> {
  try {
    const settings = await quickSettings();
    const sessions = new LocalSessions();
    using log = openLog(sessions.layout.logFile, settings.log);
    return tellFailures(sweepByMarks(sessions, log, settings)) ? 1 : 0;
  } catch (error) {
    const { reportError } = await import("../../output/report-error.ts");
    return reportError(error, { json: false });
  }
}

export function sweepByMarks(sessions: LocalSessions, log: Log, settings: QuickSettings): CleanupDecision[] {
  return sessions.sweep({
    ...keeping(settings),
    expired: "mark",
    log: (record) => log.write("info", "cleanup", { ...record }),
  });
}
