/** A session belongs to the client that started it: another may read it, and act on it only when it was asked to by name. */
import type { LocalSessions } from "../../../client/local-sessions.ts";
import { HoltError } from "../../../protocol/errors.ts";

export class Ownership {
  readonly #own = new Set<string>();

  add(id: unknown): void {
    if (typeof id === "string") this.#own.add(id);
  }

  /** Whoever takes a session over has it from then on. One that is not there is nobody's, and said to be so. */
  check(id: unknown, takeover: unknown, sessions: LocalSessions): void {
    if (typeof id !== "string" || this.#own.has(id)) return;
    sessions.get(id);
    if (takeover === true) this.#own.add(id);
    else
      throw new HoltError("EDENIED", `session ${id} was started by somebody else`, {
        hint: "you may read it; to act on it, ask the person first, then call again with takeover: true",
        details: { session_id: id },
      });
  }
}
