/**
 * To end a session's control group ended, in one go, also what `holt start` had started from inside the session, and that outlives it by promise. Where nothing of that
 * kind is in it, the kernel ends all that is, at once; where there is, each process is ended on its own.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ControlGroups } from "../support/control-groups.ts";
import { HoppingBench } from "./hopping.ts";

const mounted = ControlGroups.mounted();
mounted?.[Symbol.dispose]();
if (mounted === null)
  console.error("\n!!! NOT TRIED: to end a control group: cgroup v2 cannot be mounted (it takes root)\n");

test.skipIf(mounted === null).each([
  ["with all that is in it", [], false],
  ["without what is to outlive it", ["apart"], true],
])("a control group is ended %s", async (_, how, isSpared) => {
  using bench = new HoppingBench();
  using groups = ControlGroups.mounted() as ControlGroups;
  const group = join(groups.parent, "one");
  const lock = join(bench.root, "lock");
  const script = new URL("end-group.ts", import.meta.url).pathname;
  // Not below it: only who ends the group as such ends this one.
  const beside = Bun.spawn(["sleep", "60"]);
  const ender = Bun.spawn([process.execPath, script, group, bench.program, lock, ...how], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const words = ender.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    expect((await words.read()).value).toBe("made\n");
    writeFileSync(join(group, "cgroup.procs"), String(beside.pid));
    await ender.stdin.write("go\n");
    await ender.stdin.end();
    const told = JSON.parse((await words.read()).value ?? "null") as unknown;
    expect(told).toEqual({ isEnded: true, isFrozen: false, apartLives: isSpared });
    expect(bench.lives("lock")).toBe(false);
    await ender.exited;
    expect(groups.pids("one").includes(beside.pid)).toBe(isSpared);
  } finally {
    beside.kill("SIGKILL");
    await Promise.all([beside.exited, ender.exited]);
  }
});
