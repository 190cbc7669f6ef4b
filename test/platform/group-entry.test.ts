/** A control group is entered by the command alone, before it is executed, and with its limits: in each of the parts that the small program plays. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { ControlGroups } from "../support/control-groups.ts";

const HAS_NATIVE = process.platform === "linux" && process.arch === "x64";
const isMounted = canMount();
if (!isMounted)
  console.error("\n!!! NOT TRIED: to enter a control group: cgroup v2 cannot be mounted (it takes root)\n");

describe.skipIf(!isMounted || !HAS_NATIVE)("a command in a control group", () => {
  test.each(["pipes", "terminal"])("is there, with its limits, and nobody else is: %s", async (how) => {
    using groups = ControlGroups.mounted();
    if (groups === null) throw new Error("cgroup v2 cannot be mounted");
    const group = join(groups.parent, "of-it");
    mkdirSync(group);
    const script = join(import.meta.dir, "start-in-group.ts");
    const starter = Bun.spawn([process.execPath, script, how, join(group, "cgroup.procs")], {
      stdout: "pipe",
    });
    let pids: number[] = [];
    try {
      const { value } = await starter.stdout.getReader().read();
      pids = new TextDecoder().decode(value).split(" ").map(Number);
      const [pid = 0] = pids;
      expect(groups.pids("of-it")).toEqual([pid]);
      expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/Max core file size +0 +0/);
    } finally {
      starter.kill("SIGKILL");
      await starter.exited;
      // A leader has the group open for as long as it is there, and nothing is unmounted until then.
      await until("all are gone", () => !pids.some(isAlive) && groups.pids("of-it").length === 0);
    }
  });
});

function canMount(): boolean {
  using groups = ControlGroups.mounted();
  return groups !== null;
}
