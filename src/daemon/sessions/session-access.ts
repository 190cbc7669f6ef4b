/**
 * Who acts on a session that is there. What is typed into somebody else's shell is run by that shell, whatever the policy says about commands: so
 * acting on a session that the caller did not start is a decision of its own (`policy.others`). Every row that acts on a session says so
 * (`sessionParam`), and comes here before its handler: none can forget to.
 */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Session } from "../../protocol/types/session.ts";
import type { UserApproval } from "../policy/user-approval.ts";
import { type Caller, keyOf } from "../calls/caller.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { denial } from "../calls/policy-denial.ts";
import { othersVerdict } from "../policy/rules.ts";

const RULE = "policy.others";

export interface SessionAccessParts {
  settings: CurrentSettings;
  sessions: LocalSessions;
  userApproval: UserApproval;
}

export class SessionAccess {
  readonly #parts: SessionAccessParts;
  /** What a person has handed over, for as long as the connection lasts. */
  readonly #handedOver = new WeakMap<Caller, Set<string>>();

  constructor(parts: SessionAccessParts) {
    this.#parts = parts;
  }

  /** Returns where the caller may act on that session. */
  async require(call: CallRecord, id: string): Promise<void> {
    const { caller } = call;
    if (caller.given === id || this.#handedOver.get(caller)?.has(id) === true) return;
    const verdict = this.#verdictFor(caller);
    if (verdict === "allow") return;
    const session = this.#find(id);
    if (session.started_by !== null && keyOf(session.started_by) === caller.key) return;
    if (typeof verdict === "object") throw verdict.error;
    const why = `session ${id} was started by ${session.started_by?.label ?? "the person"}`;
    const decision = { verdict, rule: RULE, why, kind: "rule" } as const;
    call.decision = decision;
    if (verdict === "deny") throw denial(decision);
    const { argv, cwd, env_keys } = session;
    await this.#parts.userApproval.ask(call, { argv, cwd, env_keys, session_id: id }, decision);
    const handedOver = this.#handedOver.get(caller) ?? new Set();
    this.#handedOver.set(caller, handedOver.add(id));
  }

  /** The same of all there are at once: nobody is asked about those. */
  requireAll({ caller }: CallRecord): void {
    const verdict = this.#verdictFor(caller);
    if (verdict === "allow") return;
    if (typeof verdict === "object") throw verdict.error;
    throw denial({ rule: RULE, why: "there may be sessions that somebody else started", kind: "rule" });
  }

  /** An error where the configuration is wrong: who then acts on what is his own need not hear of it. */
  #verdictFor({ kind }: Caller): Verdict | { error: unknown } {
    try {
      return kind === "person" ? "allow" : othersVerdict(this.#parts.settings.get());
    } catch (error) {
      return { error };
    }
  }

  #find(id: string): Session {
    using reader = this.#parts.sessions.reader(id);
    return reader.session();
  }
}
