/**
 * A daemon without a free descriptor failed calls that had succeeded, also `holt daemon stop`:
 * "SystemError: Failed to get memory usage". Bun reads that from a file, which takes a descriptor.
 */
import { expect, test } from "bun:test";

const WITHOUT_DESCRIPTORS = `
  import { openSync } from "node:fs";
  import { Collector } from "${import.meta.dir}/../../src/daemon/lifecycle/collector.ts";
  const collector = new Collector();
  try {
    for (;;) openSync("/dev/null", "r");
  } catch {}
  for (let i = 0; i < 100; i++) collector.callEnded(0);
  await Bun.sleep(0);
  console.log("done");
`;

test("a failed memory reading fails no call", () => {
  const script = 'ulimit -n 64; exec "$0" -e "$1"';
  const { stdout, stderr } = Bun.spawnSync(["bash", "-c", script, process.execPath, WITHOUT_DESCRIPTORS]);
  expect({ stdout: String(stdout), stderr: String(stderr) }).toEqual({ stdout: "done\n", stderr: "" });
});
