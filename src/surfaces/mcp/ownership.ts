/**
 * A session belongs to the client that started it: another may read it, and act on it only when it was asked to by name. So it is in every toolset. (What a
 * caller may do to others' sessions at all is the daemon's to say, by the policy.)
 */
import * as z from "zod";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnyRow } from "./toolsets/row-tool.ts";

/** Of tools that act on a session. */
export const TAKEOVER = {
  takeover: z
    .boolean()
    .optional()
    .describe("Act on a session that another client started: only when the person asked for it"),
};

const TAKEOVER_HINT = "you may read it; to act on it, ask the person first, then call again with takeover: true";
const UNKNOWN_CLIENT_HINT =
  "you may read it; if you started it, or the person asked for it, call again with takeover: true";

export class Ownership {
  readonly #own = new Set<string>();

  /** What a call has started is the client's. */
  started(row: AnyRow, result: object): void {
    if (row.effect !== "exec" || row.sessionParam !== undefined) return;
    const { session_id, id = session_id } = result as { session_id?: unknown; id?: unknown };
    if (typeof id === "string") this.#own.add(id);
  }

  /** A client that takes a session over owns it from then on. A session that does not exist passes: the daemon refuses it. */
  check(id: unknown, takeover: unknown, sessions: LocalSessions): void {
    if (typeof id !== "string" || this.#own.has(id) || sessions.find(id) === null) return;
    if (takeover === true) this.#own.add(id);
    else throw this.refusal(id);
  }

  protected refusal(id: string): HoltError {
    return new HoltError("EDENIED", `session ${id} was started by another client`, {
      hint: TAKEOVER_HINT,
      details: { session_id: id },
    });
  }

  /** For a call that acts on all sessions. */
  checkAll(takeover: unknown): void {
    if (takeover !== true)
      throw new HoltError("EDENIED", "other clients may have started sessions", { hint: TAKEOVER_HINT });
  }
}

/** A client without an Mcp-Session-Id, which the newer era does not have: it looks like any other client, so no session is its own. */
export class UnknownClient extends Ownership {
  protected override refusal(id: string): HoltError {
    return new HoltError("EDENIED", `session ${id} may be another client's: this one shows no Mcp-Session-Id`, {
      hint: UNKNOWN_CLIENT_HINT,
      details: { session_id: id },
    });
  }
}
