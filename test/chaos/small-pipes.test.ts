/**
 * A user who is not root and has more than a thousand pipes gets small ones from then on, of two pages (pipe(7), pipe-user-pages-soft). Three hundred sessions are enough for that.
 *
 * Found by a reviewer: a warm holder tried itself with a message through a pipe that it was itself to read, and with an environment of 7 KB waited for ever for room in it. It was
 * counted as ready, each start took two seconds, and after the daemon had stopped it was still there.
 */
import { expect, test } from "bun:test";
import { Bench, HOLT } from "../support/holt.ts";
import { until } from "./size.ts";

const HOLDING = `
import os, subprocess, sys
pipes = [os.pipe() for _ in range(1100)]
import fcntl
print(fcntl.fcntl(pipes[-1][0], 1032), flush=True)
sys.exit(subprocess.call(sys.argv[1:]))
`;
/** Not even root has larger ones without these. */
const WITHOUT = "-sys_resource,-sys_admin";

test("warm holders come up, start sessions and leave with their daemon where pipes are small", async () => {
  using bench = Bench.withDaemon({ BIG: "x".repeat(7000) });
  const script = `
    "$HOLT" daemon &&
    for i in 1 2 3 4 5 6; do
      id=$("$HOLT" start --name "s$i" -- sh -c 'echo $\{#BIG}; exit 3') && "$HOLT" wait "$id" >/dev/null || exit 1
    done
    "$HOLT" daemon stop`;
  const limited = ["setpriv", `--bounding-set=${WITHOUT}`, `--inh-caps=${WITHOUT}`];
  const child = Bun.spawn([...limited, "python3", "-c", HOLDING, "sh", "-c", script], {
    env: { ...bench.env, HOLT },
    cwd: bench.root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ err, code }).toEqual({ err: "", code: 0 });
  expect(Number.parseInt(out)).toBe(8192);
  expect(bench.ids).toHaveLength(6);
  for (const id of bench.ids) {
    expect(bench.output(id).toString()).toBe("7000\r\n");
    expect(bench.final(id)).toMatchObject({ exit_code: 3 });
  }
  await until("no holder is left", () => bench.holders().length === 0);
});
