/** What goes wrong while a warm holder begins a prepared start: it is told, done another way, or given up, and no command is run twice or left to itself. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HolderConnection } from "../../src/client/holder-connection.ts";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../src/protocol/frames.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { preparedStart } from "../../src/transcript/prepare-start.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { HAS_NATIVE, hasEnded, isWaiting, none, requestFor, straced, warmHolder } from "./warm-holder.ts";

describe.skipIf(!HAS_NATIVE)("A prepared start", () => {
  test("can be asked while its command is slow to come up", async () => {
    // Its socket had a name, and nobody behind it: who asked was told, after seconds, that the holder does not answer.
    const { bench, tell, read, ready } = warmHolder();
    const strace = await straced(ready.understudy.pid, "inject=execve:delay_enter=3000000");
    tell((preparedStart(requestFor("s", ["true"], { size: null }), ready) ?? none()).message);
    await until("it has a record", () => existsSync(join(bench.state, "sessions/s/meta.json")));
    await until("its beginning is written down", () => bench.artifact("events.jsonl", "s").includes('"starting"'));
    using holder = await HolderConnection.dial(bench.meta("s").socket ?? none(), AbortSignal.timeout(10_000));
    holder?.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
    expect(await holder?.next()).toMatchObject({ type: FRAME.hello });
    expect(isWaiting(ready)).toBe(true);
    expect(JSON.parse(read())).toMatchObject({ session_id: "s" });
    await strace.exited;
  });

  test("is not run a second time where its leader was killed before it could say that it runs", async () => {
    // A leader that ended without a word was taken for one that could not execute the command, which was then tried again.
    const { bench, tell, read, ready } = warmHolder();
    const { pid } = ready.understudy;
    const strace = await straced(pid, "inject=write:delay_enter=3000000");
    const file = join(bench.root, "runs");
    // Nor is what has begun left to itself: it ran on, below a session that was said to have failed.
    const script = `trap "" HUP; printf "$$ " >>${file}; kill -9 $PPID; exec sleep 60`;
    const request = requestFor("k", ["sh", "-c", script], { size: { cols: 80, rows: 24 } });
    tell((preparedStart(request, ready) ?? none()).message);
    const message = "cannot start sh: the leader of its terminal was killed before it had said that it runs";
    expect(JSON.parse(read())).toMatchObject({ error: { code: "EIO", message } });
    await strace.exited;
    const [command = "", ...more] = readFileSync(file, "utf8").trim().split(" ");
    expect([more, isAlive(Number(command))]).toEqual([[], false]);
    expect(bench.final("k")).toMatchObject({ state: "failed", survivors: [] });
  });

  test.each([
    ["pwrite64", "ENOSPC", null],
    ["openat", "EMFILE", null],
    ["renameat", "EIO", null],
    ["ioctl", "EIO", { cols: 70, rows: 20 }],
    ["write", "EAGAIN", null],
  ])("is run once where its %s is refused at first (%s)", async (call, error, size) => {
    // The machine code that begins it leaves what fails to whoever would have done it without, and that may succeed.
    const { bench, pid, tell, read, ready } = warmHolder();
    const strace = await straced(pid, `inject=${call}:error=${error}:when=1`, join(bench.root, "trace"));
    const file = join(bench.root, "runs");
    const request = requestFor("o", ["sh", "-c", `printf x >>${file}; stty size; exit 4`], { size });
    tell((preparedStart(request, ready) ?? none()).message);
    expect(JSON.parse(read())).toMatchObject({ session_id: "o" });
    await until("it has ended", () => hasEnded(bench, "o"));
    expect(readFileSync(file, "utf8")).toBe("x");
    expect(bench.final("o")).toMatchObject({ state: "exited", exit_code: 4 });
    if (size !== null) expect(bench.output("o").toString()).toBe("20 70\r\n");
    await strace.exited;
    expect(readFileSync(join(bench.root, "trace"), "utf8")).toContain("INJECTED");
  });
});
