/**
 * Who may come in over HTTP. The owner's token lies in a file that only its user can read; of all others only a hash is kept, so that who gets to see the disk, or a
 * backup of it, can open nothing. They outlive the daemon, as sessions do.
 *
 * A key is looked up by the hash of what is shown, and compared in constant time: from how long that takes nothing can be learnt of a secret.
 */
import { PrivateFile } from "../../platform/private-file.ts";
import { errnoOf, HoltError } from "../../protocol/errors.ts";
import { KEY_KINDS, type KeyKind, PAGE_SECONDS, type Scope, TICKET_SECONDS } from "../../protocol/web.ts";
import { isObject } from "./is-object.ts";

/** 256 bits. */
const SECRET_BYTES = 32;
const MAX_KEYS = 10_000;
const MAX_SHOWN = 512;
const OWNER_MS = 1000;

export interface Key {
  token_id: string;
  kind: KeyKind;
  scope: Scope;
  hash: string;
  created_at: string;
  /** Null: with its session. */
  expires_at: string | null;
  /** Of a ticket: what it is exchanged for ends then. */
  grants_seconds?: number;
  /** When its session was created: another of the same id is not what it opens. */
  session_born?: string;
}

/** The sessions that keys are for. */
export interface KeySessions {
  /** Whether it has not been removed. */
  exists(id: string): boolean;
  /** When it was created; null where there is none. */
  bornAt(id: string): string | null;
}

export interface Made {
  key: Key;
  /** Told to whoever asked, and kept nowhere. */
  secret: string;
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
  /** Those to tell, by the key that they came with. */
  readonly #revoked = new Map<string, Set<() => void>>();
  #watching: ReturnType<typeof setInterval> | null = null;
  #keys: Key[];
  #byHash: ReadonlyMap<string, Key>;
  #owner: { hash: string; until: number } | null = null;

  constructor(root: string, sessions: KeySessions) {
    this.#ownerFile = new PrivateFile(root, "owner-token");
    this.#file = new PrivateFile(root, "tokens.json");
    this.#sessions = sessions;
    this.#keys = keysIn(this.#file.read());
    this.#byHash = new Map(this.#keys.map((key) => [key.hash, key]));
  }

  /** Made with the first look at it. Whoever removes the file, or writes another into it, has changed it. */
  ownerToken(): string {
    const known = this.#ownerFile.read()?.trim() ?? "";
    if (known.length >= SECRET_BYTES) return known;
    const secret = newSecret();
    this.#ownerFile.write(`${secret}\n`);
    return secret;
  }

  /** Null where nothing opens with it. */
  find(secret: string): Key | null {
    if (secret === "" || secret.length > MAX_SHOWN) return null;
    const hash = hashOf(secret);
    const isOwner = isSame(hash, this.#ownerHash());
    const key = this.#byHash.get(hash);
    if (isOwner) return OWNER;
    return key !== undefined && isSame(hash, key.hash) && this.#opens(key) ? key : null;
  }

  /** As `find`. A ticket opens what it is shown for, and nothing after it: so nothing of it is kept. */
  open(secret: string): Key | null {
    const key = this.find(secret);
    if (key?.kind !== "ticket") return key;
    this.#drop((each) => each === key);
    return { ...key, expires_at: timeIn(key.grants_seconds ?? PAGE_SECONDS) };
  }

  /** A ticket opens once: what is given for it opens until it ends. */
  exchange(secret: string): Made | null {
    const ticket = this.find(secret);
    if (ticket?.kind !== "ticket") return null;
    const { token_id, scope, grants_seconds = PAGE_SECONDS } = ticket;
    this.#drop((key) => key === ticket);
    const made = this.#born(makeKey({ kind: "page", scope, seconds: grants_seconds, token_id }));
    this.#keep([...this.#keys, made.key]);
    return made;
  }

  make(kind: KeyKind, scope: Scope, limits: { seconds: number | null; grantsSeconds?: number | undefined }): Made {
    const good = this.requireRoom();
    const made = this.#born(
      makeKey({ kind, scope, seconds: limits.seconds ?? (kind === "ticket" ? TICKET_SECONDS : null) }),
    );
    if (limits.grantsSeconds !== undefined) made.key.grants_seconds = limits.grantsSeconds;
    this.#keep([...good, made.key]);
    return made;
  }

  /** Those that are good, where there may be one more. */
  requireRoom(): Key[] {
    const good = this.#keys.filter((key) => this.#isGood(key));
    if (good.length < MAX_KEYS) return good;
    throw new HoltError("ERLIMIT", `there are ${MAX_KEYS} tokens already`, {
      hint: "token.revoke takes back what nobody needs",
    });
  }

  list(sessionId: string | null): Key[] {
    const isWanted = ({ scope }: Key): boolean =>
      sessionId === null || (scope.kind === "session" && scope.session_id === sessionId);
    return this.#keys.filter((key) => isWanted(key) && this.#opens(key));
  }

  rotate(tokenId: string): Made {
    const old = this.#keys.find((key) => key.token_id === tokenId && this.#opens(key));
    if (old === undefined) throw new HoltError("ENOTFOUND", `token not found: ${tokenId}`, { hint: "token.list" });
    const secret = newSecret();
    const key = { ...old, hash: hashOf(secret) };
    this.#keep(this.#keys.map((each) => (each === old ? key : each)));
    this.#tell(tokenId);
    return { key, secret };
  }

  revoke(tokenId: string): boolean {
    // The owner's is the file's to change. A ticket that was used up may still hold a socket open.
    const isTold = tokenId !== OWNER.token_id && this.#tell(tokenId);
    const isKept = this.#drop((key) => key.token_id === tokenId);
    return isKept || isTold;
  }

  /** Told when this key's secret opens nothing any more, but for one that only ends. */
  onRevoked(tokenId: string, told: () => void): Disposable {
    const others = this.#revoked.get(tokenId) ?? new Set();
    this.#revoked.set(tokenId, others.add(told));
    this.#watch();
    return {
      [Symbol.dispose]: () => {
        others.delete(told);
        if (others.size === 0 && this.#revoked.get(tokenId) === others) this.#revoked.delete(tokenId);
        this.#watch();
      },
    };
  }

  /** The file is looked at once a second, where anybody shows a key or came with the owner's. */
  #ownerHash(): string {
    const now = performance.now();
    if (this.#owner !== null && now <= this.#owner.until) return this.#owner.hash;
    const before = this.#owner?.hash;
    const hash = hashOf(this.ownerToken());
    this.#owner = { hash, until: now + OWNER_MS };
    if (before !== undefined && before !== hash) this.#tell(OWNER.token_id);
    return hash;
  }

  /** The owner's file and the sessions of keys are others' to change: they are looked at while anybody is here with such a key. */
  #watch(): void {
    if (this.#revoked.size > 0) {
      this.#watching ??= setInterval(() => this.#look(), OWNER_MS).unref();
    } else if (this.#watching !== null) {
      clearInterval(this.#watching);
      this.#watching = null;
    }
  }

  #look(): void {
    if (this.#revoked.has(OWNER.token_id)) this.#ownerHash();
    for (const key of this.#keys) if (this.#revoked.has(key.token_id) && !this.#opens(key)) this.#tell(key.token_id);
  }

  /** Whether there was anybody to tell. */
  #tell(tokenId: string): boolean {
    const told = this.#revoked.get(tokenId);
    for (const tell of told ?? []) tell();
    return told !== undefined;
  }

  #isGood({ scope, expires_at }: Key): boolean {
    if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return false;
    return scope.kind === "owner" || this.#sessions.exists(scope.session_id);
  }

  /** As `#isGood`, and that its session is the one it was made for. */
  #opens(key: Key): boolean {
    if (!this.#isGood(key)) return false;
    return key.scope.kind === "owner" || this.#sessions.bornAt(key.scope.session_id) === key.session_born;
  }

  #born(made: Made): Made {
    const { scope } = made.key;
    const born = scope.kind === "owner" ? null : this.#sessions.bornAt(scope.session_id);
    if (born !== null) made.key.session_born = born;
    return made;
  }

  /** What is given counts once it is on disk. */
  #keep(keys: Key[]): void {
    this.#write(keys);
    this.#know(keys);
  }

  /** What is taken back is so at once, be the disk full; whether there was any. */
  #drop(isDropped: (key: Key) => boolean): boolean {
    const left = this.#keys.filter((key) => !isDropped(key));
    if (left.length === this.#keys.length) return false;
    this.#know(left);
    this.#write(left);
    return true;
  }

  #know(keys: Key[]): void {
    this.#keys = keys;
    this.#byHash = new Map(keys.map((key) => [key.hash, key]));
  }

  #write(keys: readonly Key[]): void {
    try {
      this.#file.write(`${JSON.stringify({ format: 1, keys })}\n`);
    } catch (error) {
      throw new HoltError("EIO", `cannot write tokens.json: ${errnoOf(error) ?? String(error)}`, {
        hint: "what was taken back opens nothing until this daemon ends; make room in the state directory, and say it again",
        cause: error,
      });
    }
  }
}

interface Making {
  kind: KeyKind;
  scope: Scope;
  /** Null: with its session. */
  seconds: number | null;
  token_id?: string;
}

function makeKey({ kind, scope, seconds, token_id = newId() }: Making): Made {
  const secret = newSecret();
  const expires_at = seconds === null ? null : timeIn(seconds);
  return { secret, key: { token_id, kind, scope, hash: hashOf(secret), created_at: timeIn(0), expires_at } };
}

function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

function newSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64({ alphabet: "base64url", omitPadding: true });
}

function newId(): string {
  return `t${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
}

function hashOf(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && crypto.timingSafeEqual(one, other);
}

/** What is damaged opens nothing. */
function keysIn(text: string | null): Key[] {
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
  return isNamed && KEY_KINDS.some((known) => known === kind) && isObject(scope) && mayEnd(scope, expires_at);
}

/** With its session, where it opens one, or with its time: what has none that can be read would open for ever. */
function mayEnd({ kind, session_id, role }: Record<string, unknown>, expiresAt: unknown): boolean {
  const isOfSession = kind === "session" && typeof session_id === "string" && (role === "viewer" || role === "driver");
  if (!isOfSession && kind !== "owner") return false;
  return expiresAt === null ? isOfSession : typeof expiresAt === "string" && !Number.isNaN(Date.parse(expiresAt));
}
