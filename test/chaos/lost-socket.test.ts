/**
 * The name of a live session's socket was removed: by somebody who cleans up a temporary directory, or by hand. Everybody who wanted something of the session had to tell its
 * holder first, `kill -USR1 PID`, as the error said. Whoever misses the name does that now.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { withDaemon } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { until } from "./size.ts";

const SOCKET = { itself: (path: string) => path, "with its directory": dirname };

async function removed(bench: Bench, id: string, what: (path: string) => string = SOCKET.itself): Promise<string> {
  const socket = bench.meta(id).socket ?? "";
  await until("it listens", () => existsSync(socket));
  rmSync(what(socket), { recursive: true });
  return socket;
}

describe("A session whose socket's name was removed", () => {
  test.each(Object.entries(SOCKET))("%s: takes what it is sent, and has it again", async (_, what) => {
    using bench = new Bench();
    await bench.run(["start", "--session-id", "x", "--", "sh", "-c", "read one; echo got $one; read two; exit 3"]);
    const socket = await removed(bench, "x", what);
    expect(await bench.run(["send", "x", "--text", "it\n"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(statSync(socket).mode & 0o777).toBe(0o700);
    await bench.run(["send", "x", "--text", "more\n"]);
    expect(await bench.run(["wait", "x", "--exit-code"])).toMatchObject({ exitCode: 3 });
    expect(bench.output("x").toString()).toContain("got it");
    await until("it leaves no name behind", () => !existsSync(socket));
  });

  test("is stopped, and attached to, by whoever asks the daemon", async () => {
    await withDaemon(async (client, bench) => {
      await client.call("session.start", { argv: ["cat"], session_id: "x" });
      const socket = await removed(bench, "x");
      expect(await client.call("session.attach", { session_id: "x" })).toMatchObject({ socket });
      expect(existsSync(socket)).toBe(true);
      rmSync(socket);
      await client.call("session.stop", { session_id: "x" });
      expect(await client.call("session.wait", { session_id: "x" })).toMatchObject({ outcome: "exited" });
      await until("it leaves no name behind", () => !existsSync(socket));
    });
  });

  test("in somebody's foreground is not told: its command would get the signal, had it come in vain", async () => {
    using bench = new Bench();
    const line = [HOLT, "run", "--session-id", "x", "--", "sh", "-c", "echo on; read line; exit 4"];
    const proc = Bun.spawn(line, { env: bench.env, cwd: bench.root, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    await until("it is on", () => bench.started().includes("x") && bench.output("x").includes("on"));
    await removed(bench, "x");
    const { exitCode, stderr } = await bench.run(["signal", "x", "WINCH"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("kill -USR1") });
    void proc.stdin.write("go\n");
    await proc.stdin.end();
    expect(await proc.exited).toBe(4);
  });
});
