/** What a session on pipes reads: given with its start, sent later, or nothing. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../client/failure.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

async function ended(bench: Bench, id: string): Promise<void> {
  await until(`${id} has ended`, () => existsSync(join(bench.state, "sessions", id, "final.json")));
}

describe("holt start --stdin", () => {
  /** A `cat` on pipes never ended: its stdin stayed open for somebody who might send, and nobody ever did. */
  test("none: the command finds its stdin at its end", async () => {
    using bench = new Bench();
    const args = ["start", "--session-id", "x", "--no-pty", "--stdin", "none", "--", "sh", "-c", "cat; echo over"];
    expect(await bench.run(args)).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(bench.output("x").toString()).toBe("over\n");
  });

  test("a file, whose bytes arrive as they are, in front of the end, however late they are read", async () => {
    using bench = new Bench();
    const bytes = crypto.getRandomValues(new Uint8Array(3_000_000));
    writeFileSync(join(bench.root, "in"), bytes);
    const script = "until [ -e go ]; do sleep 0.02; done; sha256sum";
    const args = ["start", "--session-id", "x", "--no-pty", "--stdin", "in", "--", "sh", "-c", script];
    expect(await bench.run(args)).toMatchObject({ stderr: "", exitCode: 0 });
    expect(await bench.run(["send", "x", "--text", "more"])).toMatchObject({ exitCode: 1 });
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench, "x");
    expect(bench.output("x").toString()).toStartWith(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
  });

  test("what comes on stdin here; each attempt of a restart has it again, and no file does", async () => {
    using bench = new Bench();
    const restart = ["--restart", "on-failure", "--max-restarts", "1", "--restart-delay", "0s"];
    const args = [
      "start",
      "--session-id",
      "x",
      "--no-pty",
      ...restart,
      "--stdin",
      "-",
      "--",
      "sh",
      "-c",
      "wc -c; exit 1",
    ];
    expect(await bench.run(args, { stdin: "swordfish" })).toMatchObject({ stderr: "", exitCode: 0 });
    await until(
      "both attempts have ended",
      () => bench.ids.length === 2 && bench.ids.every((id) => hasEnded(bench, id)),
    );
    expect(bench.ids.map((id) => bench.output(id).toString())).toEqual(["9\n", "9\n"]);
    for (const id of bench.ids) {
      const dir = join(bench.state, "sessions", id);
      for (const name of readdirSync(dir)) expect(readFileSync(join(dir, name)).includes("swordfish")).toBe(false);
    }
  });

  test("a command that does not read it is not held up", async () => {
    using bench = new Bench();
    writeFileSync(join(bench.root, "in"), new Uint8Array(1_000_000));
    const args = ["start", "--session-id", "x", "--no-pty", "--stdin", "in", "--", "true"];
    expect(await bench.run(args)).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 0 });
  });

  test("is refused on a terminal, for what cannot be read, and for what is too much", async () => {
    using bench = new Bench();
    const start = (...args: string[]) => bench.run(["start", ...args, "--", "cat"]);
    expect(await start("--stdin", "none")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--stdin needs --no-pty"),
    });
    expect(await start("--no-pty", "--stdin", "missing")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot read file: "missing": ENOENT'),
    });
    writeFileSync(join(bench.root, "in"), new Uint8Array(4 * 1024 * 1024 + 1));
    expect(await start("--no-pty", "--stdin", "in")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--stdin is too large: 4194305 bytes, at most 4194304"),
    });
  });
});

describe("session.start {stdin}", () => {
  test("a text, bytes, or none", async () => {
    await withDaemon(async (client, bench) => {
      const cat = { argv: ["cat"], pty: false as const };
      await client.call("session.start", { ...cat, session_id: "text", stdin: "öne\n" });
      await client.call("session.start", { ...cat, session_id: "data", stdin: { data: "/wAK" } });
      await client.call("session.start", { ...cat, session_id: "none", stdin: false });
      for (const id of ["text", "data", "none"]) await ended(bench, id);
      expect(["text", "data", "none"].map((id) => bench.output(id).toString("hex"))).toEqual([
        "c3b66e650a",
        "ff000a",
        "",
      ]);
    });
  });

  test("is refused at a terminal, and a wrong one is named", async () => {
    await withDaemon(async (client) => {
      expect(await failure(client.call("session.start", { argv: ["cat"], stdin: "x" }))).toMatchObject({
        code: "EBADARGS",
        message: "stdin needs pty: false",
      });
      const wrong = { argv: ["cat"], pty: false as const, stdin: 7 as unknown as string };
      expect(await failure(client.call("session.start", wrong))).toMatchObject({
        code: "EBADARGS",
        message: 'session.start: stdin: got 7, expected a text, {"data": "BASE64"}, or false for none',
      });
    });
  });

  test("without it, session.send fills it and ends it", async () => {
    await withDaemon(async (client, bench) => {
      await client.call("session.start", { argv: ["cat"], pty: false, session_id: "x" });
      expect(await client.call("session.send", { session_id: "x", text: "one\n" })).toMatchObject({ bytes_written: 4 });
      expect(await client.call("session.send", { session_id: "x", text: "two\n", eof: true })).toMatchObject({
        bytes_written: 4,
      });
      await ended(bench, "x");
      expect(bench.output("x").toString()).toBe("one\ntwo\n");
      await client.call("session.start", { argv: ["cat"], session_id: "y" });
      expect(await client.call("session.send", { session_id: "y", eof: true })).toMatchObject({ bytes_written: 0 });
      await ended(bench, "y");
      expect(bench.final("y")).toMatchObject({ state: "exited", exit_code: 0 });
    });
  });
});

function hasEnded(bench: Bench, id: string): boolean {
  return existsSync(join(bench.state, "sessions", id, "final.json"));
}
