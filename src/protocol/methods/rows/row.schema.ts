/** What a row of the protocol table says of one method. Dispatch, the typed client and every surface are read off it. */
import type * as z from "zod";
import type { ErrorCode } from "../../types/errors.ts";

/** What a call may do: look, change a session, run a command, or act on the daemon itself. */
export type Effect = "read" | "write" | "exec" | "admin";

/** The parameter that names a session. */
export type SessionParamName = "session_id" | "id";

export interface Row<Name extends string, Params extends z.ZodType, Result extends z.ZodType> {
  readonly name: Name;
  readonly summary: string;
  readonly effect: Effect;
  /** Of what acts on a session that is there: which. What reads one, or starts one, leaves it out. */
  readonly sessionParam?: SessionParamName;
  /** Whether its answer carries what a program printed, or whoever named a thing had a say in. */
  readonly isUntrusted?: true;
  readonly params: Params;
  readonly result: Result;
  /** Beside EBADARGS, ECANCELED, ETIMEOUT and EINTERNAL, which any call may end with. */
  readonly errors: readonly ErrorCode[];
  readonly examples: readonly z.input<Params>[];
  /** The command that does the same; null where there is none. */
  readonly cli: string | null;
  /** The longest that it may take. */
  readonly deadlineMs: number;
}

export const DEFAULT_DEADLINE_MS = 30_000;

export function row<Name extends string, Params extends z.ZodType, Result extends z.ZodType>(
  declared: Row<Name, Params, Result>,
): Row<Name, Params, Result> {
  return declared;
}
