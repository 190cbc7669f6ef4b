// A rename over the whole source once turned "/etc/passwd" into a path that does not exist: errors about
// another user's directory then named the uid alone, and no test noticed.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { requireOwner } from "../../src/platform/fs/own-directory.ts";

/** A user of this machine that is not the one that runs the tests. */
const other = readFileSync("/etc/passwd", "utf8")
  .split("\n")
  .map((line) => line.split(":"))
  .find(([, , uid]) => uid !== undefined && Number(uid) !== process.getuid?.());

test("an error about another user's directory names that user", () => {
  const [name, , uid] = other ?? [];
  expect(name).toBeString();
  expect(() => requireOwner("/somewhere", { uid: Number(uid) })).toThrow(
    `/somewhere belongs to another user: uid ${uid} (${name})`,
  );
});
