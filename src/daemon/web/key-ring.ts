/**
 * Who may come in over HTTP. The owner's token lies in a file that only its user can read; of all others only a hash is kept, so that who gets to see the disk, or a
 * backup of it, can open nothing. They outlive the daemon, as sessions do.
 *
 * A key is looked up by the hash of what is shown, and compared in constant time: from how long that takes nothing can be learnt of a secret.
 */
import { PrivateFile } from "../../platform/fs/private-file.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { type KeyKind, PAGE_SECONDS, type Scope, TICKET_SECONDS } from "../../protocol/wire/web.ts";
import { hashOf, isSame, type Key, keysIn, type Made, makeKey, newSecret, SECRET_BYTES, timeIn } from "./key.ts";
import { Revocations } from "./revocations.ts";

const MAX_KEYS = 10_000;
const MAX_SHOWN = 512;
const OWNER_MS = 1000;

/** The sessions that keys are for. */
export interface KeySessions {
  /** Whether it has not been removed. */
  exists(id: string): boolean;
  /** When it was created; null where there is none. */
  bornAt(id: string): string | null;
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
  readonly #revocations = new Revocations(() => this.#look());
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
    this.#drop(
      (each) => each === key,
      "this ticket is used up; make room in the state directory, and have another made",
    );
    return { ...key, expires_at: timeIn(key.grants_seconds ?? PAGE_SECONDS) };
  }

  /** A ticket opens once: what is given for it opens until it ends. One takes the other's place, or the ticket is good as before. */
  exchange(secret: string): Made | null {
    const ticket = this.find(secret);
    if (ticket?.kind !== "ticket") return null;
    const { token_id, scope, grants_seconds = PAGE_SECONDS } = ticket;
    const made = this.#born(makeKey({ kind: "page", scope, seconds: grants_seconds, token_id }));
    this.#keep([...this.#keys.filter((key) => key !== ticket), made.key]);
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
    this.#revocations.tell(tokenId);
    return { key, secret };
  }

  revoke(tokenId: string): boolean {
    // The owner's is the file's to change. A ticket that was used up may still hold a socket open.
    const isTold = tokenId !== OWNER.token_id && this.#revocations.tell(tokenId);
    const isKept = this.#drop(
      (key) => key.token_id === tokenId,
      "it opens nothing until this daemon ends; make room in the state directory, and take it back again",
    );
    return isKept || isTold;
  }

  /** Told when this key's secret opens nothing any more, but for one that only ends. */
  onRevoked(tokenId: string, told: () => void): Disposable {
    return this.#revocations.add(tokenId, told);
  }

  /** The file is looked at once a second, where anybody shows a key or came with the owner's. */
  #ownerHash(): string {
    const now = performance.now();
    if (this.#owner !== null && now <= this.#owner.until) return this.#owner.hash;
    const before = this.#owner?.hash;
    const hash = hashOf(this.ownerToken());
    this.#owner = { hash, until: now + OWNER_MS };
    if (before !== undefined && before !== hash) this.#revocations.tell(OWNER.token_id);
    return hash;
  }

  /** The owner's file and the sessions of keys are others' to change. */
  #look(): void {
    const { isAwaited } = this.#revocations;
    if (isAwaited(OWNER.token_id)) this.#ownerHash();
    for (const key of this.#keys)
      if (isAwaited(key.token_id) && !this.#opens(key)) this.#revocations.tell(key.token_id);
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
    this.#write(keys, "nothing has changed; make room in the state directory, and try again");
    this.#know(keys);
  }

  /** What is taken back is so at once, be the disk full; whether there was any. */
  #drop(isDropped: (key: Key) => boolean, hint: string): boolean {
    const left = this.#keys.filter((key) => !isDropped(key));
    if (left.length === this.#keys.length) return false;
    this.#know(left);
    this.#write(left, hint);
    return true;
  }

  #know(keys: Key[]): void {
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

/** What is no file opens nothing. That is no reason not to serve sessions: who makes a key is told. */
function contentOf(file: PrivateFile): string | null {
  try {
    return file.read();
  } catch {
    return null;
  }
}
