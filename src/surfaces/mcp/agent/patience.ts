/** A wait that lasts longer than one call of the daemon's, where the host hears that it goes on; and one that begins where it was asked for, whatever dies. */
import type { Params, Result } from "../../../protocol/table.schema.ts";
import type { Means } from "./agent-tool.ts";

/** Of one call to the daemon. */
const PART_MS = 50_000;

export async function waitPatiently(
  params: Params<"session.wait">,
  { daemon, sessions, signal }: Means,
): Promise<Result<"session.wait">> {
  const { session_id, timeout_ms } = params;
  if (typeof timeout_ms !== "number" || typeof session_id !== "string")
    return daemon.call("session.wait", params, signal); // it is refused there
  const deadline = performance.now() + timeout_ms;
  const cursor = params.cursor ?? printedBy(sessions, session_id);
  for (;;) {
    const left = Math.max(0, Math.round(deadline - performance.now()));
    const part = { ...params, cursor, timeout_ms: Math.min(left, PART_MS) };
    const waited = await daemon.call("session.wait", part, signal);
    if (waited.outcome !== "timeout" || left <= PART_MS) return waited;
  }
}

/** Said here, once: the next daemon would take what was printed meanwhile for old. */
function printedBy(sessions: Means["sessions"], id: string): string {
  using reader = sessions.reader(id);
  return String(reader.end());
}
