/** Any system call of a start without the runtime (docs/adr/0027) may fail: before the request is sent nothing has happened, and after it the runtime goes on. */
import { describe, expect, test } from "bun:test";
import { FakeDaemon } from "../support/fake-daemon.ts";
import { Bench } from "../support/holt.ts";
import { done, paramsIn, startWay } from "./start-ways.ts";

describe("A start is asked for once, and told, though", () => {
  test.each([
    ["there is no descriptor for a socket", "socket:error=EMFILE:when=1", "runtime"],
    ["nobody takes the connection", "connect:error=EAGAIN:when=1", "runtime"],
    ["nothing random can be had", "getrandom:error=EAGAIN:when=1", "runtime"],
    ["the directory is not told", "getcwd:error=EACCES:when=1", "runtime"],
    ["the daemon goes before it was asked", "sendto:error=EPIPE:when=1", "runtime"],
    ["a signal comes meanwhile", "poll:error=EINTR:when=1..3", "starter"],
    ["it is not told what there is to read", "poll:error=ENOMEM:when=1", "both"],
    ["the answer cannot be looked at", "recvfrom:error=ENOMEM:when=1", "both"],
    ["the id cannot be written at once", "write:error=EAGAIN:when=1", "both"],
  ] as const)("%s", async (_, fault, way) => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    const { text, stderr, exitCode, way: gone } = await startWay(bench, ["--", "true"], { fault });
    const [line = "", ...more] = daemon.lines;
    expect({ gone, stderr, exitCode, more }).toEqual({ gone: way, stderr: "", exitCode: 0, more: [] });
    expect(text).toBe(`${String(paramsIn(line)["session_id"])}\n`);
  });

  test("its namespaces are not told, which makes it another place than one where they are", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, done);
    expect(await startWay(bench, ["--", "true"], { fault: "readlinkat:error=EACCES" })).toMatchObject({
      way: "starter",
    });
    expect(await startWay(bench, ["--", "true"])).toMatchObject({ way: "starter" });
    const [without, all] = daemon.lines.map((line) => paramsIn(line)["circumstances"]);
    expect(without).not.toEqual(all);
  });

  test("but not where the runtime cannot be executed: then that is told, with the id", async () => {
    using bench = Bench.withDaemon();
    using daemon = new FakeDaemon(bench, (socket) => void socket.end());
    const { text, stderr, exitCode } = await startWay(bench, ["--", "true"], { fault: "execve:error=ENOENT:when=1" });
    const id = String(paramsIn(daemon.lines[0] ?? "")["session_id"]);
    expect({ text, stderr, exitCode }).toEqual({
      text: "",
      stderr: `holt: cannot run itself again (/proc/self/exe); what became of it is told by: holt show ${id}\n`,
      exitCode: 125,
    });
  });
});
