import { describe, expect, test } from "bun:test";
import { withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

const OPTIONS = ["--timeout", "10m", "--idle-timeout", "5m", "--input", "lease", "--max-clients", "2"];
const RECORDED = {
  timeout_ms: 600_000,
  idle_timeout_ms: 300_000,
  client_rules: { input: "lease", size_rule: "smallest", max_clients: 2 },
};
const UNSAID = { timeout_ms: null, idle_timeout_ms: null, client_rules: null };

/** It was told to the holder and written down nowhere: nobody could say later why a session had ended, or who might type. */
describe("the record has what was said of timeouts and clients at the start", () => {
  test("of a holder of its own", async () => {
    using bench = new Bench();
    await bench.run(["start", "--session-id", "said", ...OPTIONS, "--", "true"]);
    await bench.run(["start", "--session-id", "unsaid", "--", "true"]);
    await bench.run(["wait", "said", "unsaid"]);
    expect(bench.meta("said")).toMatchObject(RECORDED);
    expect(bench.meta("unsaid")).toMatchObject(UNSAID);
  });

  test("through the daemon, by hand and by a call", async () => {
    await withDaemon(async (client, bench) => {
      const started = await bench.run(["start", "--session-id", "said", ...OPTIONS, "--", "true"]);
      expect(started).toMatchObject({ exitCode: 0 });
      const argv = ["true"];
      const called = { argv, timeout_ms: 600_000, idle_timeout_ms: 300_000, input: "lease", max_clients: 2 } as const;
      expect(await client.call("session.start", { session_id: "called", ...called })).toMatchObject(RECORDED);
      expect(await client.call("session.start", { session_id: "unsaid", argv })).toMatchObject(UNSAID);
      expect(await client.call("session.get", { session_id: "said" })).toMatchObject(RECORDED);
    });
  });

  test("in the foreground, where nobody is attached", async () => {
    using bench = new Bench();
    await bench.run(["run", "--timeout", "10m", "--idle-timeout", "5m", "--", "true"]);
    expect(bench.meta()).toMatchObject({ ...RECORDED, client_rules: null });
  });
});
