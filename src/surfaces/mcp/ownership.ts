/**
 * A session belongs to the client that started it. Another client may read it, and acts on it only
 * with `takeover`, in every toolset. (The daemon's policy decides whether a caller may act on the
 * sessions of others at all.)
 */
import * as z from "zod";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { AnyRow } from "./toolsets/row-tool.ts";

/** Added to tools that act on a session. */
export const TAKEOVER = {
  takeover: z
    .boolean()
    .optional()
    .describe("Act on a session that another client started; set it only when the user asked for that"),
};

const TAKEOVER_HINT = "you may read it; to act on it, ask the user first, then call again with takeover: true";
const UNKNOWN_CLIENT_HINT =
  "you may read it; if you started it, or the user asked for it, call again with takeover: true";

export class Ownership {
  readonly #own = new Set<string>();

  /** Records the session that a call started. */
  started(row: AnyRow, result: object): void {
    if (row.effect !== "exec" || row.sessionParam !== undefined) return;
    const { session_id, id = session_id } = result as { session_id?: unknown; id?: unknown };
    if (typeof id === "string") this.#own.add(id);
  }

  /**
   * Throws when the session belongs to another client and `takeover` is not set; a takeover makes
   * it the client's own. An unknown session passes: the daemon refuses it.
   */
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

  /** Like `check`, for a call that acts on all sessions. */
  checkAll(takeover: unknown): void {
    if (takeover !== true)
      throw new HoltError("EDENIED", "other clients may have started sessions", { hint: TAKEOVER_HINT });
  }
}

/**
 * A client without an Mcp-Session-Id, which the newer protocol era does not have. It cannot be told
 * from other clients, so it owns no session.
 */
export class UnknownClient extends Ownership {
  protected override refusal(id: string): HoltError {
    return new HoltError("EDENIED", `session ${id} may belong to another client: no Mcp-Session-Id was sent`, {
      hint: UNKNOWN_CLIENT_HINT,
      details: { session_id: id },
    });
  }
}
