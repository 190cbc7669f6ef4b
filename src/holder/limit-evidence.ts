/** Whether one of its limits ended a command. */
import type { Limits } from "../protocol/limits.ts";
import type { FinalReason } from "../protocol/session.ts";
import type { Ending } from "../process/transport.ts";

/** The same on Linux and macOS. */
const SIGXCPU = 24;
const SIGXFSZ = 25;

/**
 * Two limits end a process by a signal that means nothing else. Of the others a program only hears, as a call that fails (ENOMEM, EMFILE,
 * EAGAIN), and what it makes of that, an error or a crash, looks like any other end: of those nothing is claimed.
 */
export function reasonOf(ending: Ending, limits: Limits | null): FinalReason {
  if (limits === null || ending.kind === "exited") return "completed";
  const isOver =
    (ending.signal === SIGXCPU && limits.cpu_ms !== null) ||
    (ending.signal === SIGXFSZ && limits.file_size_bytes !== null);
  return isOver ? "limit_exceeded" : "completed";
}
