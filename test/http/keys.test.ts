/** The daemon's keys are bounded: whoever makes them without end is told so, and the file does not grow for ever. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyRing } from "../../src/daemon/web/key-ring.ts";
import { HoltError } from "../../src/protocol/types/errors.ts";

const BORN = "2026-11-16T00:00:00.000Z";
const THERE = { exists: () => true, createdAt: () => BORN };
const GONE = { exists: () => false, createdAt: () => null };
const SCOPE = { kind: "session", session_id: "s", role: "viewer" } as const;

function keys(count: number, expires_at: string | null): string {
  const made = Array.from({ length: count }, (_, number) => ({
    token_id: `t${number}`,
    kind: "token",
    scope: SCOPE,
    hash: String(number).padStart(64, "0"),
    created_at: "2026-11-16T00:00:00.000Z",
    expires_at,
  }));
  return JSON.stringify({ format: 1, keys: made });
}

/** Found in review: a record without a time, or with one that is none, was a key that never ended. */
test("A record that does not say when it ends, or is damaged otherwise, opens nothing.", () => {
  const root = join(mkdtempSync(join(tmpdir(), "keys-")), "state");
  mkdirSync(root, { mode: 0o700 });
  try {
    const { secret, key } = new KeyRing(root, THERE).make("page", { kind: "owner" }, { seconds: 60 });
    const { expires_at, scope, created_at, kind, ...rest } = key;
    const whole = { ...rest, expires_at, scope, created_at, kind };
    const opens = (record: object): boolean => {
      writeFileSync(join(root, "tokens.json"), JSON.stringify({ format: 1, keys: [record] }));
      const ring = new KeyRing(root, THERE);
      expect(ring.list(null)).toHaveLength(ring.find(secret) === null ? 0 : 1);
      return ring.find(secret) !== null;
    };
    expect(opens(whole)).toBe(true);
    expect(opens({ ...whole, scope: { ...SCOPE }, session_born: BORN, expires_at: null })).toBe(true); // with its session
    expect(opens({ ...whole, scope: { ...SCOPE }, session_born: "another", expires_at: null })).toBe(false);
    expect(opens({ ...rest, scope, created_at, kind })).toBe(false);
    for (const time of ["", "soon", "2026-13-45T99:00:00Z", 0, 9e15, true, {}, []])
      expect([time, opens({ ...whole, expires_at: time })]).toEqual([time, false]);
    expect(opens({ ...whole, expires_at: null })).toBe(false); // what opens everything has no session to end with
    for (const damaged of [{}, { kind: "all" }, { ...SCOPE, role: "root" }, { ...SCOPE, session_id: 1 }, null])
      expect([damaged, opens({ ...whole, scope: damaged })]).toEqual([damaged, false]);
    for (const other of ["", "admin", 1]) expect([other, opens({ ...whole, kind: other })]).toEqual([other, false]);
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
});

test("There are at most 10,000 keys; those that have ended, or whose session is gone, do not count.", () => {
  const root = join(mkdtempSync(join(tmpdir(), "keys-")), "state");
  mkdirSync(root, { mode: 0o700 });
  try {
    writeFileSync(join(root, "tokens.json"), keys(10_000, null));
    const full = new KeyRing(root, THERE);
    const make = (): unknown => full.make("token", SCOPE, { seconds: null });
    expect(make).toThrow(HoltError);
    expect(make).toThrow("too many tokens: 10000");
    expect(full.revoke("t1")).toBe(true);
    expect(make).not.toThrow();
    expect(() => new KeyRing(root, GONE).make("token", SCOPE, { seconds: 60 })).not.toThrow();
    writeFileSync(join(root, "tokens.json"), keys(10_000, "2026-11-16T00:00:01.000Z"));
    const later = new KeyRing(root, THERE);
    expect(() => later.make("token", SCOPE, { seconds: 60 })).not.toThrow();
    expect(later.list(null)).toHaveLength(1);
    writeFileSync(join(root, "tokens.json"), '{"keys": [1, null, {"token_id": 3}], "for');
    expect(new KeyRing(root, THERE).list(null)).toEqual([]);
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
});

/** Found by a review: on a full disk the ticket was used up, nothing was given for it, and "revoke it again" was said to somebody who had taken nothing back. */
test("What cannot be written down is said as it is: a ticket that was to be exchanged is good as before, one that was shown is used up.", () => {
  const root = join(mkdtempSync(join(tmpdir(), "keys-")), "state");
  mkdirSync(root, { mode: 0o700 });
  const [file, aside] = [join(root, "tokens.json"), join(root, "aside.json")];
  const unwritable = (work: () => unknown): unknown => {
    renameSync(file, aside);
    mkdirSync(file);
    try {
      work();
      return null;
    } catch (error) {
      return error;
    } finally {
      rmSync(file, { recursive: true });
      renameSync(aside, file);
    }
  };
  try {
    const ring = new KeyRing(root, THERE);
    const ticket = (): string => ring.make("ticket", SCOPE, { seconds: null }).secret;
    const [exchanged, shown] = [ticket(), ticket()];
    expect(unwritable(() => ring.exchange(exchanged))).toMatchObject({
      code: "EIO",
      hint: "nothing has changed; free space in the state directory, then try again",
    });
    const page = ring.exchange(exchanged);
    expect(page?.key.kind).toBe("page");
    expect(ring.exchange(exchanged)).toBe(null);
    expect(unwritable(() => ring.open(shown))).toMatchObject({
      code: "EIO",
      hint: "the ticket is used up; free space in the state directory, then create another",
    });
    expect(ring.open(shown)).toBe(null);
    expect(unwritable(() => ring.revoke(page?.key.token_id ?? ""))).toMatchObject({
      hint: expect.stringContaining("revoke it again"),
    });
    expect(ring.find(page?.secret ?? "")).toBe(null);
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
});

/** The daemon did not start for it, and nobody could start or stop a session. */
test("What stands in the place of the file keeps only keys from being made, and that is said.", () => {
  const root = join(mkdtempSync(join(tmpdir(), "keys-")), "state");
  mkdirSync(join(root, "tokens.json"), { recursive: true, mode: 0o700 });
  try {
    const ring = new KeyRing(root, THERE);
    const make = (): unknown => ring.make("token", SCOPE, { seconds: 60 });
    expect(ring.list(null)).toEqual([]);
    expect(make).toThrow("cannot write tokens.json: EISDIR");
    expect(ring.find(ring.ownerToken())).toMatchObject({ scope: { kind: "owner" } });
    rmSync(join(root, "tokens.json"), { recursive: true });
    expect(make).not.toThrow();
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
});
