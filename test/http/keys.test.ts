/** The daemon's keys are bounded: whoever makes them without end is told so, and the file does not grow for ever. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyRing } from "../../src/daemon/web/key-ring.ts";
import { HoltError } from "../../src/protocol/errors.ts";

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

test("There are at most 10,000 keys; those that have ended, or whose session is gone, do not count.", () => {
  const root = join(mkdtempSync(join(tmpdir(), "keys-")), "state");
  mkdirSync(root, { mode: 0o700 });
  try {
    writeFileSync(join(root, "tokens.json"), keys(10_000, null));
    const full = new KeyRing(root, () => true);
    const make = (): unknown => full.make("token", SCOPE, { seconds: null });
    expect(make).toThrow(HoltError);
    expect(make).toThrow("there are 10000 tokens already");
    expect(full.revoke("t1")).toBe(true);
    expect(make).not.toThrow();
    expect(() => new KeyRing(root, () => false).make("token", SCOPE, { seconds: 60 })).not.toThrow();
    writeFileSync(join(root, "tokens.json"), keys(10_000, "2026-11-16T00:00:01.000Z"));
    const later = new KeyRing(root, () => true);
    expect(() => later.make("token", SCOPE, { seconds: 60 })).not.toThrow();
    expect(later.list(null)).toHaveLength(1);
    writeFileSync(join(root, "tokens.json"), '{"keys": [1, null, {"token_id": 3}], "for');
    expect(new KeyRing(root, () => true).list(null)).toEqual([]);
  } finally {
    rmSync(join(root, ".."), { recursive: true });
  }
});
