import { libc } from "../platform/libc.ts";
import { POLLIN, poller } from "../platform/poller.ts";
import { decodeReport, REPORT_BYTES, type Report } from "./leader-report.ts";

/** What a leader tells, until it is gone, or has become the command. */
export function onReports(fd: number, handle: { report(report: Report): void; end(): void }): { stop(): void } {
  // A record is written at once and is shorter than PIPE_BUF: it is never seen in parts.
  const record = new Uint8Array(REPORT_BYTES);
  const watch = poller().watch(fd, POLLIN, () => {
    const length = Number(libc().read(fd, record, BigInt(REPORT_BYTES)));
    if (length === REPORT_BYTES) handle.report(decodeReport(record));
    else if (length === 0) {
      watch.stop();
      handle.end();
    }
  });
  return watch;
}
