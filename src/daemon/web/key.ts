/**
 * A key: its scope and expiry, created from a secret that is returned once and stored as a hash.
 */
import { KEY_KINDS, type KeyKind, type Scope } from "../../protocol/wire/web.ts";
import { isObject } from "./is-object.ts";

/** 256 bits. */
export const SECRET_BYTES = 32;

export interface Key {
  token_id: string;
  kind: KeyKind;
  scope: Scope;
  hash: string;
  created_at: string;
  /** Null: expires with its session. */
  expires_at: string | null;
  /** Set on a ticket: lifetime of the key it is exchanged for. */
  grants_seconds?: number;
  /** Creation time of its session: the key does not open another one with the same id. */
  session_born?: string;
}

export interface CreatedKey {
  key: Key;
  /** Returned to the caller and stored nowhere. */
  secret: string;
}

interface KeyOptions {
  kind: KeyKind;
  scope: Scope;
  /** Null: expires with its session. */
  seconds: number | null;
  token_id?: string;
}

export function makeKey({ kind, scope, seconds, token_id = newId() }: KeyOptions): CreatedKey {
  const secret = newSecret();
  const expires_at = seconds === null ? null : timeIn(seconds);
  return { secret, key: { token_id, kind, scope, hash: hashOf(secret), created_at: timeIn(0), expires_at } };
}

export function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

export function newSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64({ alphabet: "base64url", omitPadding: true });
}

function newId(): string {
  return `t${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
}

export function hashOf(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && crypto.timingSafeEqual(one, other);
}

/** Damaged entries open nothing. */
export function keysIn(text: string | null): Key[] {
  try {
    const read: unknown = JSON.parse(text ?? "{}");
    const keys = isObject(read) ? read["keys"] : null;
    return Array.isArray(keys) ? (keys as unknown[]).filter(isKey) : [];
  } catch {
    return [];
  }
}

function isKey(value: unknown): value is Key {
  if (!isObject(value)) return false;
  const { token_id, kind, scope, hash, created_at, expires_at } = value;
  const isNamed = [token_id, hash, created_at].every((text) => typeof text === "string");
  return isNamed && KEY_KINDS.some((known) => known === kind) && isObject(scope) && hasExpiry(scope, expires_at);
}

/**
 * An expiry is required: the session's end or a readable time. Without one the key would never
 * expire.
 */
function hasExpiry({ kind, session_id, role }: Record<string, unknown>, expiresAt: unknown): boolean {
  const isOfSession = kind === "session" && typeof session_id === "string" && (role === "viewer" || role === "driver");
  if (!isOfSession && kind !== "owner") return false;
  return expiresAt === null ? isOfSession : typeof expiresAt === "string" && !Number.isNaN(Date.parse(expiresAt));
}
