/** One call, whichever surface it came through: lookup, parse, handler, check of the result, or an error that says why not. */
import type * as z from "zod";
import { deadlineAfter } from "../client/deadline.ts";
import { stateError } from "../client/state-error.ts";
import { canonicalCall } from "../protocol/aliases.ts";
import { HoltError } from "../protocol/errors.ts";
import { nearest } from "../protocol/nearest.ts";
import { TABLE } from "../protocol/table.schema.ts";
import { HANDLERS } from "./handlers.ts";
import type { Asking } from "../surfaces/jsonrpc/conversation.ts";
import type { CallContext, Household } from "./household.ts";
import { parsedParams } from "./parsed-params.ts";
import { isVouchedFor } from "./vouched.ts";

export function knows(method: string): boolean {
  return TABLE.has(canonicalCall(method, null).method);
}

/** The result, or a HoltError. */
export async function call(household: Household, name: string, given: unknown, from: Asking): Promise<unknown> {
  const { method, params } = canonicalCall(name, given);
  const row = TABLE.get(method);
  if (row === undefined) throw unknownMethod(method);
  const parsed = parsedParams(row, params ?? {});
  // The table says that the parsed params are this handler's; the type of one entry among many cannot.
  const handler = HANDLERS[row.name] as (params: unknown, context: CallContext) => unknown;
  const { signal, listener } = from;
  const correlationId = household.gate.callId ?? household.nextCorrelationId();
  using deadline = deadlineAfter(row.deadlineMs + household.gate.patienceMs(row.effect), signal);
  household.began();
  try {
    const context = { household, signal: deadline.signal, listener, correlationId };
    const result = await untilAborted(async () => handler(parsed, context), deadline.signal);
    return isVouchedFor(result) ? result : checkedResult(method, row.result, result);
  } catch (error) {
    const known = failure({ error, method, row, deadline: deadline.signal, signal });
    if (known.code === "EINTERNAL")
      household.log.write("error", known.message, { method, correlation_id: correlationId, stack: stackOf(error) });
    throw known.within({ correlation_id: correlationId });
  } finally {
    household.ended();
  }
}

function stackOf(error: unknown): string | null {
  return error instanceof Error ? (error.stack ?? null) : null;
}

/** A handler that does not look at the signal still ends its call. */
async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new HoltError("ECANCELED", "the call was canceled"));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function checkedResult(method: string, schema: z.ZodType, result: unknown): unknown {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new HoltError("EINTERNAL", `${method} made a result that is none: ${issue?.path.join(".")} ${issue?.message}`);
}

interface Failure {
  error: unknown;
  method: string;
  row: { deadlineMs: number };
  deadline: AbortSignal;
  signal: AbortSignal;
}

function failure({ error, method, row, deadline, signal }: Failure): HoltError {
  if (signal.aborted) return new HoltError("ECANCELED", `${method} was canceled`);
  if (deadline.aborted) return new HoltError("ETIMEOUT", `${method} took longer than ${row.deadlineMs} ms`);
  const known = stateError(error, "get at the sessions");
  if (known instanceof HoltError) return known;
  const message = error instanceof Error ? error.message : String(error);
  return new HoltError("EINTERNAL", `internal error: ${message}`, {
    hint: "this is a fault in holt, not in what you asked; log/holt.jsonl tells more",
    cause: error,
  });
}

function unknownMethod(method: string): HoltError {
  const near = nearest(method, [...TABLE.keys()]);
  return new HoltError("EBADARGS", `unknown method ${JSON.stringify(method.slice(0, 80))}`, {
    hint: near === null ? `there are ${[...TABLE.keys()].join(", ")}` : `did you mean ${near}?`,
  });
}
