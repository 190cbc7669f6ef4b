/** Handler of session.wait. */
import { type Condition, NO_FINDINGS, type WaitResult, waitUntil } from "../../client/wait/wait-until.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { type Final, FORMAT_VERSION, isFinal } from "../../protocol/types/session.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import { endOrTimeout } from "../sessions/await-command.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext } from "../daemon-context.ts";

export const wait: Handler<"session.wait"> = async (params, context) => {
  const exit = await waitForExit(params, context);
  if (exit !== null) return exit;
  const { cursor, ...waited } = await waitForAny(params, params.until.map(conditionFrom), context);
  const { exit_code, signal } = context.daemon.sessions.get(params.session_id);
  return { ...waited, cursor: String(cursor), exit_code, signal };
};

/**
 * The fast path for until: exit. The holder of a session started here reports its end, which is
 * quicker than following the output.
 */
async function waitForExit(
  { session_id, until, timeout_ms }: Parsed<"session.wait">,
  context: CallContext,
): Promise<Result<"session.wait"> | null> {
  const { daemon } = context;
  if (!until.every((condition) => condition === "exit")) return null;
  const onceEnded = daemon.pool.endOf(session_id);
  if (onceEnded === null) return null;
  const final = await endOrTimeout(onceEnded, timeout_ms, context.signal);
  if (final?.format === FORMAT_VERSION) return exited(final);
  using reader = daemon.sessions.reader(session_id);
  const { state, output_bytes, exit_code, signal: by } = reader.session();
  const hasEnded = isFinal(state);
  const cursor = String(hasEnded ? output_bytes : reader.end());
  return { ...NO_FINDINGS, outcome: hasEnded ? "exited" : "timeout", cursor, exit_code, signal: by };
}

function exited({ output_bytes, exit_code, signal }: Final): Result<"session.wait"> {
  return { ...NO_FINDINGS, outcome: "exited", cursor: String(output_bytes), exit_code, signal };
}

function waitForAny(
  { session_id, cursor, timeout_ms }: Parsed<"session.wait">,
  until: readonly Condition[],
  { daemon: { sessions }, signal }: CallContext,
): Promise<WaitResult> {
  using reader = sessions.reader(session_id);
  reader.session();
  const from = cursor === undefined ? reader.end() : Number(cursor);
  return waitUntil({ sessions, id: session_id, cursor: from, until, timeoutMs: timeout_ms, signal });
}

function conditionFrom(condition: Parsed<"session.wait">["until"][number]): Condition {
  if (typeof condition === "string") return { kind: condition };
  if ("idle_ms" in condition) return { kind: "idle", ms: condition.idle_ms };
  if ("port" in condition) return { kind: "port", port: condition.port };
  if ("match" in condition) return { kind: "match", pattern: patternFrom(condition.match) };
  return { kind: "screen", pattern: patternFrom(condition.screen_match) };
}

function patternFrom(source: string): RegExp {
  try {
    return new RegExp(source, "mu");
  } catch (error) {
    throw new HoltError("EBADARGS", `invalid pattern ${JSON.stringify(source)}`, {
      hint: error instanceof Error ? error.message : "not a regular expression",
    });
  }
}
