/**
 * One row of the protocol table: everything about one method. Dispatch, the typed client and every
 * surface derive from it.
 */
import type * as z from "zod";
import type { ErrorCode } from "../../types/errors.ts";

/** Effect of a call: reads, changes a session, runs a command, or administers the daemon. */
export type Effect = "read" | "write" | "exec" | "admin";

/** Name of the parameter that holds a session id. */
export type SessionParamName = "session_id" | "id";

export interface Row<Name extends string, Params extends z.ZodType, Result extends z.ZodType> {
  readonly name: Name;
  readonly summary: string;
  readonly effect: Effect;
  /**
   * For methods that act on an existing session: its parameter. Absent for methods that read or
   * start one.
   */
  readonly sessionParam?: SessionParamName;
  /** The answer contains program output, or text chosen by another party. */
  readonly isUntrusted?: true;
  readonly params: Params;
  readonly result: Result;
  /** Beside EBADARGS, ECANCELED, ETIMEOUT and EINTERNAL, which every call may return. */
  readonly errors: readonly ErrorCode[];
  readonly examples: readonly z.input<Params>[];
  /** The equivalent CLI command; null if there is none. */
  readonly cli: string | null;
  /** Deadline of one call. */
  readonly deadlineMs: number;
}

export const DEFAULT_DEADLINE_MS = 30_000;

export function row<Name extends string, Params extends z.ZodType, Result extends z.ZodType>(
  declared: Row<Name, Params, Result>,
): Row<Name, Params, Result> {
  return declared;
}
