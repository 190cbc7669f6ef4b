/**
 * A holder that was just killed was told to be alive by its lock and dead by /proc, one after the other: a process is a zombie there as soon as its first thread has
 * ended, while the others still hold its files and locks. `holt daemon stop` returned in that moment, and a program whose first thread is done was no survivor.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { identityOf, isSame, processStatus } from "../../src/platform/process/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

/** Its second thread says so and goes on when the first has ended. */
const WITHOUT_ITS_FIRST = `
import ctypes, os, threading, time
def goes_on():
    stat = lambda: open("/proc/self/stat").read().rsplit(")", 1)[1].split()[0]
    while stat() != "Z": time.sleep(0.01)
    os.write(1, b"alone\\n")
    time.sleep(600)
threading.Thread(target=goes_on).start()
ctypes.CDLL(None).pthread_exit(None)
`;

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench[Symbol.dispose]());

test("A process lives as long as one of its threads.", async () => {
  await using child = Bun.spawn(["python3", "-c", WITHOUT_ITS_FIRST], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  expect(Buffer.from(value ?? []).toString()).toBe("alone\n");
  const identity = identityOf(child.pid);
  expect(readFileSync(`/proc/${child.pid}/status`, "latin1")).toContain("State:\tZ");
  expect({ state: processStatus(child.pid)?.state, isSame: isSame(identity) }).toEqual({ state: "R", isSame: true });
  child.kill("SIGKILL");
  await child.exited;
  expect(isSame(identity)).toBe(false);
});

test("A session whose command goes on without its first thread runs, and is stopped.", async () => {
  await bench.run(["start", "--no-pty", "--session-id", "x", "--", "python3", "-c", WITHOUT_ITS_FIRST]);
  await until("it is alone", () => bench.output("x").includes("alone"));
  expect(JSON.parse((await bench.run(["show", "x", "--json"])).text)).toMatchObject({ state: "running" });
  const identity = bench.meta("x").process;
  expect(await bench.run(["stop", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
  expect(JSON.parse((await bench.run(["show", "x", "--json"])).text)).toMatchObject({ reason: "stop_requested" });
  expect(identity !== null && isSame(identity)).toBe(false);
});
