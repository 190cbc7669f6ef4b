/**
 * How long the answer to a call may become, as far as it says so itself: calls that would answer with much take turns on a connection. Those that wait for a
 * command, or for a person, do not count: they would keep others from waiting beside them.
 */
import { canonicalCall } from "../protocol/aliases.ts";

const READS = new Set(["fs.read_file", "session.read", "session.export", "exec.output"]);
/** No answer has more. */
const MOST_BYTES = 8 * 1024 * 1024;
const BASE64 = 4 / 3;

export function answerBytes(name: string, given: unknown): number {
  const asked = (given as { max_bytes?: unknown } | null | undefined)?.max_bytes;
  if (asked === undefined && name !== "session.export") return 0;
  const { method, params } = canonicalCall(name, given);
  const waits = (params as { wait_ms?: unknown } | null | undefined)?.wait_ms ?? 0;
  if (!READS.has(method) || waits !== 0) return 0;
  return Math.ceil(Math.min(typeof asked === "number" ? asked : MOST_BYTES, MOST_BYTES) * BASE64);
}
