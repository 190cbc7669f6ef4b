/** The daemon as the backend of the HTTP surface. */
import type { Settings } from "../../config/keys.ts";
import type { ProcessIdentity, StartedBy } from "../../protocol/types/session.ts";
import type { HttpBackend, Grant, HttpSettings } from "../../surfaces/http/backend.ts";
import type { Methods } from "../../surfaces/jsonrpc/calls.ts";
import { type Caller, keyOf } from "../calls/caller.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { KeyRing } from "./key-ring.ts";
import { metricsText } from "./metrics.ts";

export interface HttpBackendParts {
  daemon: DaemonContext;
  keys: KeyRing;
  methodsFor: (caller: () => Caller) => Methods;
}

/** Callers cached by token and origin: an approval belongs to a caller object. */
const MAX_CALLERS = 1000;

export class DaemonHttpBackend implements HttpBackend {
  readonly #parts: HttpBackendParts;
  readonly #callers = new Map<string, Caller>();

  constructor(parts: HttpBackendParts) {
    this.#parts = parts;
  }

  get sessions(): HttpBackend["sessions"] {
    return this.#parts.daemon.sessions;
  }

  get settings(): HttpSettings {
    return httpSettings(this.#parts.daemon.settings.lastValid);
  }

  findKey(secret: string): Grant | null {
    return this.#parts.keys.find(secret);
  }

  useKey(secret: string): Grant | null {
    return this.#parts.keys.open(secret);
  }

  exchangeTicket(ticket: string): ReturnType<HttpBackend["exchangeTicket"]> {
    const created = this.#parts.keys.exchange(ticket);
    return created === null ? null : { secret: created.secret, grant: created.key };
  }

  requireKeyRoom(): void {
    this.#parts.keys.requireRoom();
  }

  makeSessionToken(sessionId: string): string {
    const scope = { kind: "session", session_id: sessionId, role: "driver" } as const;
    return this.#parts.keys.make("token", scope, { seconds: null }).secret;
  }

  methodsFor(grant: Grant, from: string): Methods {
    const caller = this.#callerOf(grant, from);
    return this.#parts.methodsFor(() => caller);
  }

  onRevoked(tokenId: string, revoked: () => void): Disposable {
    return this.#parts.keys.onRevoked(tokenId, revoked);
  }

  newCorrelationId(): string {
    return this.#parts.daemon.gate.newCorrelationId();
  }

  log(level: "debug" | "info" | "warn" | "error", message: string, fields: Record<string, unknown>): void {
    this.#parts.daemon.log.write(level, message, fields);
  }

  metrics(): Promise<string> {
    return metricsText(this.#parts.daemon);
  }

  #callerOf(grant: Grant, from: string): Caller {
    const name = `${grant.token_id} ${from}`;
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    if (this.#callers.size >= MAX_CALLERS) this.#callers.clear();
    const caller = callerOf(grant, from);
    this.#callers.set(name, caller);
    return caller;
  }
}

/**
 * A page belongs to the user, who opened it with a ticket of `holt web` or `holt share`. A token
 * belongs to a program, to which the policy applies: it may act on the sessions it started, and on
 * the one its token is for.
 */
function callerOf({ token_id, kind, scope }: Grant, from: string): Caller {
  const common = {
    label: from,
    pid: null,
    via: "http",
    grantedSession: scope.kind === "session" ? scope.session_id : null,
  } as const;
  if (kind !== "token") return { ...common, kind: "person", process: httpIdentity("page"), key: "person" };
  const process = httpIdentity(`token ${token_id}`);
  return { ...common, kind: "program", process, key: keyOf(process) };
}

/** Not a process of the kernel: identifies the starter in a record, also for the next daemon. */
function httpIdentity(name: string): ProcessIdentity {
  return { pid: 0, start_time: null, boot_id: name };
}

export function isOverHttp({ pid, boot_id }: StartedBy): boolean {
  return pid === 0 && boot_id !== null && /^(?:page$|token )/.test(boot_id);
}

export function httpSettings(settings: Settings): HttpSettings {
  return {
    hosts: settings["http.hosts"],
    rate: settings["http.rate"],
    scrollbackBytes: settings["pty.scrollback_bytes"],
    shell: settings["pty.default_shell"] ?? process.env["SHELL"] ?? "/bin/sh",
  };
}
