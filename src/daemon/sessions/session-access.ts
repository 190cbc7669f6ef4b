/**
 * Checks whether a caller may act on an existing session.
 *
 * Input typed into another caller's shell runs there, whatever the policy says about commands: so
 * acting on a session that the caller did not start has a rule of its own, `policy.others`. The
 * method table marks such methods with `sessionParam`, and each is checked before its handler runs.
 */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Session } from "../../protocol/types/session.ts";
import type { UserApproval } from "../policy/user-approval.ts";
import { type Caller, keyOf } from "../calls/caller.ts";
import type { CurrentSettings } from "../current-settings.ts";
import type { CallRecord } from "../calls/call-record.ts";
import { policyDenial } from "../calls/policy-denial.ts";
import { othersVerdict } from "../policy/rules.ts";

const RULE = "policy.others";

export interface SessionAccessParts {
  settings: CurrentSettings;
  sessions: LocalSessions;
  userApproval: UserApproval;
}

export class SessionAccess {
  readonly #parts: SessionAccessParts;
  /** Sessions that the user approved, for the lifetime of the caller's connection. */
  readonly #approved = new WeakMap<Caller, Set<string>>();

  constructor(parts: SessionAccessParts) {
    this.#parts = parts;
  }

  /** Returns if the caller may act on the session; throws otherwise. */
  async require(call: CallRecord, id: string): Promise<void> {
    const { caller } = call;
    if (caller.grantedSession === id || this.#approved.get(caller)?.has(id) === true) return;
    const verdict = this.#verdictFor(caller);
    if (verdict === "allow") return;
    const session = this.#find(id);
    if (session.started_by !== null && keyOf(session.started_by) === caller.key) return;
    if (typeof verdict === "object") throw verdict.error;
    const why = `session ${id} was started by ${session.started_by?.label ?? "the user"}`;
    const decision = { verdict, rule: RULE, why, kind: "rule" } as const;
    call.decision = decision;
    if (verdict === "deny") throw policyDenial(decision);
    const { argv, cwd, env_keys } = session;
    await this.#parts.userApproval.ask(call, { argv, cwd, env_keys, session_id: id }, decision);
    const approved = this.#approved.get(caller) ?? new Set();
    this.#approved.set(caller, approved.add(id));
  }

  /** Requires access to all sessions; the user is not asked. */
  requireAll({ caller }: CallRecord): void {
    const verdict = this.#verdictFor(caller);
    if (verdict === "allow") return;
    if (typeof verdict === "object") throw verdict.error;
    throw policyDenial({ rule: RULE, why: "other callers may have sessions", kind: "rule" });
  }

  /**
   * An error if the configuration is invalid; it does not concern callers that act on their own
   * sessions.
   */
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
