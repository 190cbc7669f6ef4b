/** Handlers of web.* and token.*. */
import { HoltError, sessionNotFound } from "../../protocol/types/errors.ts";
import type { Scope } from "../../protocol/wire/web.ts";
import type { Handler } from "./handlers.ts";
import type { CallContext } from "../daemon-context.ts";
import type { Web } from "../web/web.ts";

/** Tokens grant full access: under a restricted policy only the user may create them. */
function requireWeb({ daemon, call }: CallContext): Web {
  daemon.access.requireAll(call);
  if (daemon.web === null) throw new HoltError("EBUSY", "the daemon is just starting", { hint: "try again" });
  return daemon.web;
}

export const start: Handler<"web.start"> = async ({ port }, context) => {
  const { served, wasRunning } = await requireWeb(context).start(port ?? null);
  return { ...served, was_running: wasRunning };
};

export const stop: Handler<"web.stop"> = async (_params, context) => ({
  was_running: await requireWeb(context).stop(),
});

export const ticket: Handler<"web.ticket"> = (params, context) => {
  const web = requireWeb(context);
  const { session_id, role, expires_in_seconds, grants_seconds } = params;
  if (session_id !== undefined) requireSession(context, session_id);
  const scope: Scope = session_id === undefined ? { kind: "owner" } : { kind: "session", session_id, role };
  const { key, secret } = web.keys.make("ticket", scope, {
    seconds: expires_in_seconds,
    grantsSeconds: grants_seconds,
  });
  const url = web.served === null ? null : `${web.served.url}#ticket=${secret}`;
  return { token_id: key.token_id, ticket: secret, url, expires_at: key.expires_at ?? key.created_at };
};

export const createToken: Handler<"token.create"> = ({ session_id, role, expires_in_seconds }, context) => {
  const { daemon } = context;
  if (daemon.web === null) throw new HoltError("EBUSY", "the daemon is just starting", { hint: "try again" });
  requireSession(context, session_id);
  const seconds = expires_in_seconds ?? null;
  const { key, secret } = daemon.web.keys.make("token", { kind: "session", session_id, role }, { seconds });
  return { token_id: key.token_id, token: secret, session_id, role, expires_at: key.expires_at };
};

export const listTokens: Handler<"token.list"> = ({ session_id }, context) => ({
  tokens: requireWeb(context)
    .keys.list(session_id ?? null)
    .map(({ token_id, kind, scope, created_at, expires_at }) => ({
      token_id,
      kind,
      session_id: scope.kind === "owner" ? null : scope.session_id,
      role: scope.kind === "owner" ? null : scope.role,
      created_at,
      expires_at,
    })),
});

export const rotateToken: Handler<"token.rotate"> = ({ token_id }, context) => ({
  token_id,
  token: requireWeb(context).keys.rotate(token_id).secret,
});

export const revokeToken: Handler<"token.revoke"> = ({ token_id }, context) => ({
  revoked: requireWeb(context).keys.revoke(token_id),
});

function requireSession({ daemon }: CallContext, id: string): void {
  if (!daemon.sessions.exists(id)) throw sessionNotFound(id);
}
