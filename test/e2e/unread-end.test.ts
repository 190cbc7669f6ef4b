/**
 * A command that was over within its first milliseconds left its session deaf while its output waited to be read (`holt run -- short | less`): listed as running, with a socket at which nobody
 * answered, and whoever asked was advised to kill it.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

const BYTES = 200_000;

test("a session whose command has ended answers while its output is waited for", async () => {
  using bench = new Bench();
  const go = join(bench.root, "go");
  const reader = `until [ -e ${go} ]; do sleep 0.05; done; wc -c`;
  const reading = bench.shell(`$HOLT run --session-id s -- head -c ${BYTES} /dev/zero | { ${reader}; }`);
  await until("its command has run", () => bench.started().includes("s") && bench.meta("s").process !== null);
  await until("its command has ended", () => !isAlive(bench.meta("s").process?.pid ?? 0));
  expect(await bench.run(["rename", "s", "other"])).toMatchObject({ stderr: "", exitCode: 0 });
  expect((await bench.run(["ls", "--json"])).text).toContain('"name":"other"');
  writeFileSync(go, "");
  expect((await reading).text.trim()).toBe(String(BYTES));
  expect(bench.final("s")).toMatchObject({ state: "exited", exit_code: 0, output_bytes: BYTES });
});
