/**
 * Found by a breaker: a holder that was killed during `holt exec` was told of with exit 125, "the command was not run", and "ask again", though the command
 * had begun: whoever believed it ran it twice.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { dial, end } from "../daemon/household.ts";
import { BARE, LiveShell } from "./shells.ts";

test("a holder that is lost under a command does not say that it was not run", async () => {
  for (let round = 0; round < 5; round++) {
    await using live = await LiveShell.start(BARE.bash);
    const begun = join(live.bench.root, "begun");
    const running = live.bench.run(["exec", "s", `touch ${begun}; sleep 600`]);
    await until("the command has begun", () => existsSync(begun));
    const { pid } = live.bench.meta("s").holder;
    process.kill(pid, "SIGKILL");
    const { text, stderr, exitCode } = await running;
    expect({ text, exitCode }).toEqual({ text: "", exitCode: 1 });
    expect(stderr).toStartWith(
      "holt: cannot reach the holder of session s: its holder hung up; the command may have run, or still run\n",
    );
    expect(stderr).toContain("`holt logs s`");
    expect(stderr).not.toMatch(/ask again|kill|\b125\b/);
    expect(stderr).not.toContain(String(pid));
  }
}, 60_000);

test("so does session.exec", async () => {
  await using live = await LiveShell.start(BARE.bash);
  await live.bench.run(["daemon"], { env: { HOLT_NO_DAEMON: "" } });
  try {
    using client = await dial(live.bench);
    const begun = join(live.bench.root, "begun");
    const params = { session_id: "s", command: `touch ${begun}; sleep 600` };
    const failed = client.call("session.exec", params as Parameters<typeof client.call<"session.exec">>[1]).then(
      () => null,
      (error: unknown) => error,
    );
    await until("the command has begun", () => existsSync(begun));
    process.kill(live.bench.meta("s").holder.pid, "SIGKILL");
    expect(await failed).toMatchObject({
      code: "EIO",
      message: expect.stringContaining("may have run, or still run"),
      hint: expect.stringContaining('session.read {"session_id": "s"}'),
      details: { may_have_run: true },
    });
  } finally {
    await end(live.bench);
  }
}, 60_000);

/** `--timeout 2s` took twelve with a holder that was stopped: the margin for its answer was five times as long as what was asked for. */
test("who asks for a second does not wait for ten on a holder that is stopped", async () => {
  await using live = await LiveShell.start(BARE.bash);
  const { pid } = live.bench.meta("s").holder;
  process.kill(pid, "SIGSTOP");
  try {
    const began = performance.now();
    const { stderr, exitCode } = await live.bench.run(["exec", "--timeout", "1s", "s", "true"]);
    expect(performance.now() - began).toBeLessThan(8000);
    expect({ stderr, exitCode }).toMatchObject({
      stderr: expect.stringContaining("may have run, or still run"),
      exitCode: 1,
    });
  } finally {
    process.kill(pid, "SIGCONT");
  }
}, 60_000);
