import { expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FollowedFile } from "../../src/holder/session/followed-file.ts";

// A command appended a line to its log and rotated it, in the moment between the holder's read of the
// old file and its look at the name. The line was lost: seen once, on a busy machine.
test("a line that is added just before the file is replaced is read", () => {
  const directory = mkdtempSync(join(tmpdir(), "followed-"));
  const path = join(directory, "log");
  const followed = new FollowedFile("log", path);
  try {
    let text = "";
    followed.begin((bytes) => {
      const piece = new TextDecoder().decode(bytes);
      text += piece;
      if (piece !== "one\n") return;
      appendFileSync(path, "two\n");
      renameSync(path, join(directory, "old"));
      writeFileSync(path, "three\n");
    });
    writeFileSync(path, "one\n");
    followed.finish();
    expect(text).toBe("one\ntwo\nthree\n");
  } finally {
    followed.close();
    rmSync(directory, { recursive: true });
  }
});
