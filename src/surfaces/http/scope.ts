/** Limits a key of one session to that session, as viewer or driver. */
import { canonicalCall } from "../../protocol/methods/aliases.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { type AnyRow, TABLE } from "../../protocol/methods/table.schema.ts";
import type { Scope } from "../../protocol/wire/web.ts";
import type { Methods } from "../jsonrpc/calls.ts";

type SessionScope = Extract<Scope, { kind: "session" }>;

/** These methods name a session, but only the owner may call them, not a driver. */
const OWNER_ONLY: ReadonlySet<string> = new Set([
  "session.remove",
  "session.rename",
  "session.detach",
  "session.export",
]);
const ANY_ROLE: ReadonlySet<string> = new Set(["session.unsubscribe"]);

export function limitToScope(methods: Methods, scope: Scope): Methods {
  if (scope.kind === "owner") return methods;
  return {
    ...methods,
    call(name, given, from) {
      const { method, params } = canonicalCall(name, given);
      const row = TABLE.get(method);
      if (row !== undefined && !mayCall(scope, row, params)) throw outOfScope(scope, method);
      return methods.call(name, given, from);
    },
  };
}

/** For requests whose path names the session. */
export function requireScope(scope: Scope, id: string): void {
  if (scope.kind === "session" && scope.session_id !== id) throw outOfScope(scope, "another session");
}

function mayCall(scope: SessionScope, row: AnyRow, params: unknown): boolean {
  if (ANY_ROLE.has(row.name)) return true;
  if (OWNER_ONLY.has(row.name) || row.effect === "admin" || !namesSession(row, params, scope.session_id)) return false;
  // Other methods that execute take the id for a session to be created.
  if (row.effect === "exec") return scope.role === "driver" && row.name === "session.exec";
  if (row.name === "session.attach") return mayAttach(scope, params as Record<string, unknown>);
  return row.effect === "read" || scope.role === "driver";
}

/** Reads only the parameter under which this method takes a session: others mean something else. */
function namesSession({ params: { shape } }: AnyRow, params: unknown, id: string): boolean {
  const name = "session_id" in shape ? "session_id" : "id" in shape ? "id" : null;
  if (name === null || typeof params !== "object" || params === null || !Object.hasOwn(params, name)) return false;
  return (params as Record<string, unknown>)[name] === id;
}

function mayAttach(scope: SessionScope, { role, detach_others }: Record<string, unknown>): boolean {
  return (scope.role === "driver" || role === "viewer") && detach_others !== true;
}

function outOfScope({ role, session_id }: SessionScope, what: string): HoltError {
  return new HoltError("EDENIED", `this key is for a ${role} of session ${session_id}, not for ${what}`, {
    hint: "ask for another link, or use the owner's token",
    details: { rule: "scope" },
  });
}
