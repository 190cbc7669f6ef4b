/** One call, whichever surface it came through: lookup, parse, handler, check of the result, or an error that says why not. */
import { canonicalCall } from "../protocol/aliases.ts";
import { HoltError } from "../protocol/errors.ts";
import { nearest } from "../protocol/nearest.ts";
import type { ActedOn } from "../protocol/rows/row.schema.ts";
import { type AnyRow, TABLE } from "../protocol/table.schema.ts";
import type { Asking } from "../surfaces/jsonrpc/asking.ts";
import { HANDLERS } from "./handlers.ts";
import type { CallContext, Household } from "./household.ts";
import { parsedParams } from "./parsed-params.ts";
import type { Passage } from "./passages.ts";
import { type CallDeadline, RunningCall } from "./running-call.ts";

const NOTHING = Object.freeze({});
const TAKE_NOTHING: ReadonlySet<AnyRow> = new Set(
  [...TABLE.values()].filter((row) => Object.keys(row.params.shape).length === 0),
);

const READS = new Set(["fs.read_file", "session.read", "session.export", "exec.output"]);
/** No answer has more. */
const MOST_BYTES = 8 * 1024 * 1024;
const BASE64 = 4 / 3;

export function knows(method: string): boolean {
  return TABLE.has(canonicalCall(method, null).method);
}

/**
 * How long the answer to a call may become, as far as it says so itself: calls that would answer with much take turns on a connection. Those that wait for a
 * command, or for a person, do not count: they would keep others from waiting beside them.
 */
export function answerBytes(name: string, given: unknown): number {
  const asked = (given as { max_bytes?: unknown } | null | undefined)?.max_bytes;
  if (asked === undefined && name !== "session.export") return 0;
  const { method, params } = canonicalCall(name, given);
  const waits = (params as { wait_ms?: unknown } | null | undefined)?.wait_ms ?? 0;
  if (!READS.has(method) || waits !== 0) return 0;
  return Math.ceil(Math.min(typeof asked === "number" ? asked : MOST_BYTES, MOST_BYTES) * BASE64);
}

/** The result, a promise of it, or a HoltError. */
export function call(household: Household, passage: Passage, from: Asking): unknown {
  const { method, params: given } = passage;
  const row = TABLE.get(method);
  if (row === undefined) throw unknownMethod(method);
  const params = isNothing(given) && TAKE_NOTHING.has(row) ? NOTHING : parsedParams(row, given ?? {});
  // The table says that the parsed params are this handler's; the type of one entry among many cannot.
  const handler = HANDLERS[row.name] as (params: unknown, context: CallContext) => unknown;
  const running = new RunningCall({ household, row, from, passage });
  household.began();
  let result: unknown;
  try {
    result = row.actsOn === undefined ? handler(params, running) : allowed(running, params, row.actsOn, handler);
    if (result instanceof Promise) return settled(running, result);
    result = running.checked(result);
  } catch (error) {
    household.ended();
    throw running.failure(error);
  }
  household.ended(passage.began);
  household.collector.ended(passage.began);
  return result;
}

/** Whoever acts on a session is asked first whether it is theirs to act on. */
async function allowed(
  running: RunningCall,
  params: unknown,
  name: ActedOn,
  handler: (params: unknown, context: CallContext) => unknown,
): Promise<unknown> {
  // The table says that there is such a parameter, and that it is an id.
  await running.household.acting.require(running.passage, (params as Record<ActedOn, string>)[name]);
  return handler(params, running);
}

async function settled(running: RunningCall, answer: Promise<unknown>): Promise<unknown> {
  using deadline = running.deadline;
  try {
    return running.checked(await untilOver(answer, deadline));
  } catch (error) {
    throw running.failure(error);
  } finally {
    running.household.ended();
    running.household.collector.ended(running.passage.began);
  }
}

/** A handler that does not look at its deadline still ends its call. */
function untilOver<T>(work: Promise<T>, deadline: CallDeadline): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    deadline.onceOver(() => reject(new HoltError("ECANCELED", "the call was canceled")));
    work.then(resolve, reject);
  });
}

function isNothing(given: unknown): boolean {
  if (given === undefined || given === null) return true;
  if (typeof given !== "object" || Array.isArray(given)) return false;
  for (const _ in given) return false;
  return true;
}

function unknownMethod(method: string): HoltError {
  const near = nearest(method, [...TABLE.keys()]);
  return new HoltError("EBADARGS", `unknown method ${JSON.stringify(method.slice(0, 80))}`, {
    hint: near === null ? `there are ${[...TABLE.keys()].join(", ")}` : `did you mean ${near}?`,
  });
}
