/**
 * The keys that open HTTP: the owner's token, tickets, pages and session tokens. They outlive the
 * daemon.
 *
 * The owner's token is in a file that only its user can read. Of all others only a hash is stored,
 * so a copy of the disk opens nothing. Keys are looked up by hash and compared in constant time, so
 * timing reveals nothing.
 */
import { PrivateFile } from "../../platform/fs/private-file.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { type KeyKind, PAGE_SECONDS, type Scope, TICKET_SECONDS } from "../../protocol/wire/web.ts";
import { hashOf, isSame, type Key, keysIn, type CreatedKey, makeKey, newSecret, SECRET_BYTES, timeIn } from "./key.ts";
import { Revocations } from "./revocations.ts";

const MAX_KEYS = 10_000;
const MAX_SECRET_LENGTH = 512;
const OWNER_CHECK_MS = 1000;

/** The sessions that keys may be for. */
export interface KeySessions {
  /** True while the session exists. */
  exists(id: string): boolean;
  /** Creation time; null if there is no such session. */
  createdAt(id: string): string | null;
}

const OWNER: Key = {
  token_id: "owner",
  kind: "token",
  scope: { kind: "owner" },
  hash: "",
  created_at: new Date(0).toISOString(),
  expires_at: null,
};

export class KeyRing {
  readonly #ownerFile: PrivateFile;
  readonly #file: PrivateFile;
  readonly #sessions: KeySessions;
  readonly #revocations = new Revocations(() => this.#checkDisk());
  #keys: Key[];
  #byHash: ReadonlyMap<string, Key>;
  #owner: { hash: string; until: number } | null = null;

  constructor(root: string, sessions: KeySessions) {
    this.#ownerFile = new PrivateFile(root, "owner-token");
    this.#file = new PrivateFile(root, "tokens.json");
    this.#sessions = sessions;
    this.#keys = keysIn(contentOf(this.#file));
    this.#byHash = new Map(this.#keys.map((key) => [key.hash, key]));
  }

  /** Created on first use. Removing or rewriting the file changes the token. */
  ownerToken(): string {
    const known = this.#ownerFile.read()?.trim() ?? "";
    if (known.length >= SECRET_BYTES) return known;
    const secret = newSecret();
    this.#ownerFile.write(`${secret}\n`);
    return secret;
  }

  /** Null if the secret opens nothing. */
  find(secret: string): Key | null {
    if (secret === "" || secret.length > MAX_SECRET_LENGTH) return null;
    const hash = hashOf(secret);
    const isOwner = isSame(hash, this.#ownerHash());
    const key = this.#byHash.get(hash);
    if (isOwner) return OWNER;
    return key !== undefined && isSame(hash, key.hash) && this.#opens(key) ? key : null;
  }

  /** Like `find`, but uses up a ticket: it grants this one access and is dropped. */
  open(secret: string): Key | null {
    const key = this.find(secret);
    if (key?.kind !== "ticket") return key;
    this.#removeKeys(
      (each) => each === key,
      "the ticket is used up; free space in the state directory, then create another",
    );
    return { ...key, expires_at: timeIn(key.grants_seconds ?? PAGE_SECONDS) };
  }

  /**
   * Exchanges a ticket for a page key. One write replaces it, so a failure leaves the ticket valid.
   */
  exchange(secret: string): CreatedKey | null {
    const ticket = this.find(secret);
    if (ticket?.kind !== "ticket") return null;
    const { token_id, scope, grants_seconds = PAGE_SECONDS } = ticket;
    const createdKey = this.#withSessionTime(makeKey({ kind: "page", scope, seconds: grants_seconds, token_id }));
    this.#saveKeys([...this.#keys.filter((key) => key !== ticket), createdKey.key]);
    return createdKey;
  }

  make(
    kind: KeyKind,
    scope: Scope,
    limits: { seconds: number | null; grantsSeconds?: number | undefined },
  ): CreatedKey {
    const valid = this.requireRoom();
    const createdKey = this.#withSessionTime(
      makeKey({ kind, scope, seconds: limits.seconds ?? (kind === "ticket" ? TICKET_SECONDS : null) }),
    );
    if (limits.grantsSeconds !== undefined) createdKey.key.grants_seconds = limits.grantsSeconds;
    this.#saveKeys([...valid, createdKey.key]);
    return createdKey;
  }

  /** Returns the valid keys; throws if there is no room for another. */
  requireRoom(): Key[] {
    const valid = this.#keys.filter((key) => this.#isValid(key));
    if (valid.length < MAX_KEYS) return valid;
    throw new HoltError("ERLIMIT", `too many tokens: ${MAX_KEYS}`, {
      hint: "revoke unused tokens with token.revoke",
    });
  }

  list(sessionId: string | null): Key[] {
    const isWanted = ({ scope }: Key): boolean =>
      sessionId === null || (scope.kind === "session" && scope.session_id === sessionId);
    return this.#keys.filter((key) => isWanted(key) && this.#opens(key));
  }

  rotate(tokenId: string): CreatedKey {
    const old = this.#keys.find((key) => key.token_id === tokenId && this.#opens(key));
    if (old === undefined) throw new HoltError("ENOTFOUND", `token not found: ${tokenId}`, { hint: "token.list" });
    const secret = newSecret();
    const key = { ...old, hash: hashOf(secret) };
    this.#saveKeys(this.#keys.map((each) => (each === old ? key : each)));
    this.#revocations.notify(tokenId);
    return { key, secret };
  }

  revoke(tokenId: string): boolean {
    // The owner's token changes only through its file. A used ticket may still hold a socket open.
    const isNotified = tokenId !== OWNER.token_id && this.#revocations.notify(tokenId);
    const isRemoved = this.#removeKeys(
      (key) => key.token_id === tokenId,
      "it opens nothing until this daemon ends; free space in the state directory, then revoke it again",
    );
    return isRemoved || isNotified;
  }

  /** Calls back when the key's secret is revoked; not when the key expires. */
  onRevoked(tokenId: string, revoked: () => void): Disposable {
    return this.#revocations.add(tokenId, revoked);
  }

  /**
   * The file is read at most once a second, on use of a key or while a client of the owner's token
   * is connected.
   */
  #ownerHash(): string {
    const now = performance.now();
    if (this.#owner !== null && now <= this.#owner.until) return this.#owner.hash;
    const before = this.#owner?.hash;
    const hash = hashOf(this.ownerToken());
    this.#owner = { hash, until: now + OWNER_CHECK_MS };
    if (before !== undefined && before !== hash) this.#revocations.notify(OWNER.token_id);
    return hash;
  }

  /** The owner's file and sessions can change on disk. */
  #checkDisk(): void {
    const { isAwaited } = this.#revocations;
    if (isAwaited(OWNER.token_id)) this.#ownerHash();
    for (const key of this.#keys)
      if (isAwaited(key.token_id) && !this.#opens(key)) this.#revocations.notify(key.token_id);
  }

  #isValid({ scope, expires_at }: Key): boolean {
    if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return false;
    return scope.kind === "owner" || this.#sessions.exists(scope.session_id);
  }

  /** Like `#isValid`; the session must also be the one the key was created for. */
  #opens(key: Key): boolean {
    if (!this.#isValid(key)) return false;
    return key.scope.kind === "owner" || this.#sessions.createdAt(key.scope.session_id) === key.session_born;
  }

  #withSessionTime(createdKey: CreatedKey): CreatedKey {
    const { scope } = createdKey.key;
    const created = scope.kind === "owner" ? null : this.#sessions.createdAt(scope.session_id);
    if (created !== null) createdKey.key.session_born = created;
    return createdKey;
  }

  /** A new key is valid only once it is on disk. */
  #saveKeys(keys: Key[]): void {
    this.#write(keys, "nothing has changed; free space in the state directory, then try again");
    this.#setKeys(keys);
  }

  /**
   * A revocation takes effect at once, even if the disk is full. Returns whether a key was dropped.
   */
  #removeKeys(isExcluded: (key: Key) => boolean, hint: string): boolean {
    const left = this.#keys.filter((key) => !isExcluded(key));
    if (left.length === this.#keys.length) return false;
    this.#setKeys(left);
    this.#write(left, hint);
    return true;
  }

  #setKeys(keys: Key[]): void {
    this.#keys = keys;
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
  }

  #write(keys: readonly Key[], hint: string): void {
    try {
      this.#file.write(`${JSON.stringify({ format: 1, keys })}\n`);
    } catch (error) {
      throw new HoltError("EIO", `cannot write tokens.json: ${errnoOf(error) ?? String(error)}`, {
        hint,
        cause: error,
      });
    }
  }
}

/**
 * An unreadable file opens nothing; sessions are served nevertheless, and creating a key reports
 * the error.
 */
function contentOf(file: PrivateFile): string | null {
  try {
    return file.read();
  } catch {
    return null;
  }
}
