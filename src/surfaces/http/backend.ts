/** What HTTP and WebSocket need of whoever they translate for. */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import type { KeyKind, Scope } from "../../protocol/wire/web.ts";
import type { Methods } from "../jsonrpc/calls.ts";

/** Who showed a key that opens something. */
export interface Grant {
  token_id: string;
  kind: KeyKind;
  scope: Scope;
  /** Null: with its session, or when it is taken back. */
  expires_at: string | null;
}

export interface HttpSettings {
  /** Further names under which it is reached, as a Host header has them. */
  hosts: readonly string[];
  /** Requests of one key in a second; those over it are put off. */
  rate: number;
  /** With `replay=raw`, so many of the last bytes. */
  scrollbackBytes: number;
  /** Where no command is named. */
  shell: string;
}

export interface HttpBackend {
  readonly sessions: LocalSessions;
  readonly settings: HttpSettings;
  /** Null where nothing opens with it. */
  findKey(secret: string): Grant | null;
  /** The same. A ticket is used up by that. */
  useKey(secret: string): Grant | null;
  /** A ticket for what it is good for; null where it is none, or was used. */
  exchangeTicket(ticket: string): { secret: string; grant: Grant } | null;
  /** Throws where no key can be made any more. */
  requireKeyRoom(): void;
  /** For a program: a session's key of its own. */
  makeSessionToken(sessionId: string): string;
  /** The methods of the table, for whoever that is. */
  methodsFor(grant: Grant, from: string): Methods;
  /** Told when this key is taken back, or another is in its place. */
  onRevoked(tokenId: string, listener: () => void): Disposable;
  newCorrelationId(): string;
  log(level: "debug" | "info" | "warn" | "error", message: string, fields: Record<string, unknown>): void;
  metrics(): string | Promise<string>;
}
