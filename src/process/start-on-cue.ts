/** A command on the pipes of a process that waited for it. */
import { errnoName } from "../platform/constants.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { SystemError } from "../platform/libc.ts";
import { waitFor } from "../platform/wait.ts";
import { onReports } from "./on-reports.ts";
import { pipesTransport } from "./pipes.ts";
import type { SpawnSpec, Transport, TransportEvents } from "./transport.ts";
import type { Understudy } from "./understudy.ts";

/** Answers once it has become the command, or could not. Null where it cannot be had for that. Without a spec it has been told already. */
export function startOnCue(
  understudy: Understudy,
  { spec, given }: { spec: SpawnSpec | null; given: Uint8Array | null },
  events: TransportEvents,
): Promise<Transport> | null {
  const { pid, start_time: startTime } = understudy.identity;
  events.starting();
  const cued = understudy.command(spec);
  if (cued === null) return null;
  events.made(pid);
  const { reports: told, ...pipes } = cued;
  const { promise, resolve, reject } = Promise.withResolvers<Transport>();
  // Looked at before the command's output, which comes after it.
  const reports = onReports(told, {
    report(report) {
      if (report.kind !== "failed") return;
      reports.stop();
      closeQuietly(told);
      transport.close();
      waitFor(pid, { block: true, stops: false });
      reject(new SystemError("execve", errnoName(report.errno)));
      events.answered();
    },
    // execve closed it.
    end() {
      closeQuietly(told);
      resolve(transport);
      events.answered();
    },
  });
  // Made while it is executed: afterwards everybody waits.
  const transport = pipesTransport({ pid, startTime, ...pipes }, events, given);
  return promise;
}
