/**
 * `holt start` inside a session starts a holder that outlives the session, and the holder was known by its command line alone. A process writes its command
 * line itself: one that named itself `holt __holder` lived on after kill, stop and timeouts, which answered `survivors: []`.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { HOLT } from "../support/holt.ts";
import { Detached } from "./detached.ts";
import { isAlive } from "./processes.ts";
import { until } from "./size.ts";

test.each([
  ["holt kill", ["kill"], "kill_requested"],
  ["holt stop", ["stop", "--grace", "200ms"], "stop_requested"],
])("a process that names itself a holder is ended by %s", async (_, words, reason) => {
  using bench = new Detached();
  const script = join(bench.root, "__holder");
  const pidFile = join(bench.root, "pid");
  await Bun.write(script, `echo $$ >${pidFile}.new; mv ${pidFile}.new ${pidFile}; while :; do sleep 1; done`);
  const forge = `exec -a ${HOLT} bash __holder`;
  const id = await bench.start(`cd ${bench.root}; setsid bash -c '${forge}' & while :; do sleep 1; done`);
  await until("it has another name", () => existsSync(pidFile));
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toBe(`${HOLT}\0__holder\0`);
    expect(await bench.run([...words, id])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(bench.final(id)).toMatchObject({ reason, survivors: [] });
  } finally {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  }
});

/**
 * An upgrade deletes the executable of running holders, or renames it. A holder looked up its own path when it first needed it: after an upgrade that was another
 * name, so the holders that were started inside its session were not known, and were ended with it.
 */
test.each([
  ["deleted", "rm holt", (root: string) => `${root}/holt (deleted)`],
  ["renamed", "mv holt old", (root: string) => `${root}/old`],
])("a holder started inside outlives the session when its executable is %s", async (_, upgrade, expected) => {
  using bench = new Detached();
  const script = "./holt start --session-id inner -- sleep 600; echo started; exec sleep 600";
  const line = `cp "$HOLT" holt && ./holt start --session-id outer -- sh -c '${script}'`;
  expect(await bench.shell(`cd ${bench.root}; ${line}`)).toMatchObject({ stderr: "", exitCode: 0 });
  await until("the inner session is there", () => bench.output("outer").includes("started"));
  const inner = bench.holder("inner");
  await bench.shell(`cd ${bench.root}; ${upgrade}`);
  expect(readlinkSync(`/proc/${inner}/exe`)).toBe(expected(bench.root));
  try {
    await bench.end("outer");
    expect(isAlive(inner)).toBe(true);
  } finally {
    await bench.end("inner");
  }
});
