import { type Condition, type Waited, waitUntil } from "../../client/wait-until.ts";
import { HoltError } from "../../protocol/errors.ts";
import { isFinal } from "../../protocol/session.ts";
import type { Parsed, Result } from "../../protocol/table.schema.ts";
import type { Handler } from "../handlers.ts";
import type { CallContext } from "../household.ts";

export const wait: Handler<"session.wait"> = async (params, context) => {
  const early = await onlyExit(params, context);
  if (early !== null) return early;
  const { outcome, cursor, match } = await anything(params, params.until.map(conditionFrom), context);
  const { exit_code, signal } = context.household.sessions.get(params.session_id);
  return { outcome, cursor: String(cursor), match, exit_code, signal };
};

/** The end of a session that this daemon started is told by its holder, which is quicker than to follow its output. */
async function onlyExit(
  { session_id, until, timeout_ms }: Parsed<"session.wait">,
  { household, signal }: CallContext,
): Promise<Result<"session.wait"> | null> {
  const ended = until.every((condition) => condition === "exit") ? household.births.endOf(session_id) : null;
  if (ended === null) return null;
  using timer = timerOf(timeout_ms);
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.race([ended, timer.fired, aborted]);
  using reader = household.sessions.reader(session_id);
  const { state, output_bytes, exit_code, signal: by } = reader.session();
  const isOver = isFinal(state);
  const cursor = String(isOver ? output_bytes : reader.end());
  return { outcome: isOver ? "exited" : "timeout", cursor, match: null, exit_code, signal: by };
}

function anything(
  { session_id, cursor, timeout_ms }: Parsed<"session.wait">,
  until: readonly Condition[],
  { household: { sessions }, signal }: CallContext,
): Promise<Waited> {
  using reader = sessions.reader(session_id);
  reader.session();
  const from = cursor === undefined ? reader.end() : Number(cursor);
  return waitUntil({ sessions, id: session_id, cursor: from, until, timeoutMs: timeout_ms, signal });
}

function conditionFrom(condition: Parsed<"session.wait">["until"][number]): Condition {
  if (typeof condition === "string") return { kind: condition };
  if ("idle_ms" in condition) return { kind: "idle", ms: condition.idle_ms };
  try {
    return { kind: "match", pattern: new RegExp(condition.match, "mu") };
  } catch (error) {
    throw new HoltError("EBADARGS", `invalid match ${JSON.stringify(condition.match)}`, {
      hint: error instanceof Error ? error.message : "that is no regular expression",
    });
  }
}

function timerOf(ms: number): Disposable & { fired: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { fired: promise, [Symbol.dispose]: () => clearTimeout(timer) };
}
