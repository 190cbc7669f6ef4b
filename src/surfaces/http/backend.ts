/** The interface between HTTP or WebSocket and the daemon: keys, methods, settings and the log. */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { KeyKind, Scope } from "../../protocol/wire/web.ts";
import type { Methods } from "../jsonrpc/calls.ts";

/** The access that a valid key gives. */
export interface Grant {
  token_id: string;
  kind: KeyKind;
  scope: Scope;
  /** Null: valid until its session is removed or the key is revoked. */
  expires_at: string | null;
}

export interface HttpSettings {
  /** Further host names of this server, as in a Host header. */
  hosts: readonly string[];
  /** Requests that one key may send in a second; more are answered with 429. */
  rate: number;
  /** Bytes at the end of the output that `replay=raw` sends. */
  scrollbackBytes: number;
  /** Started when a request names no command. */
  shell: string;
}

export interface HttpBackend {
  readonly sessions: LocalSessions;
  readonly settings: HttpSettings;
  /** Null when the key is unknown or expired. A ticket is not used up. */
  findKey(secret: string): Grant | null;
  /** Like `findKey`, but uses a ticket up. */
  useKey(secret: string): Grant | null;
  /** Exchanges a ticket for a token; null when the ticket is unknown, expired or used. */
  exchangeTicket(ticket: string): { secret: string; grant: Grant } | null;
  /** Throws when the limit of keys is reached. */
  requireKeyRoom(): void;
  /** Makes a driver's token for one session. */
  makeSessionToken(sessionId: string): string;
  /** The methods of the protocol table, called with the rights of the grant. */
  methodsFor(grant: Grant, from: string): Methods;
  /** Calls the listener when the key is revoked or replaced. */
  onRevoked(tokenId: string, listener: () => void): Disposable;
  newCorrelationId(): string;
  log(level: "debug" | "info" | "warn" | "error", message: string, fields: Record<string, unknown>): void;
  metrics(): string | Promise<string>;
}
