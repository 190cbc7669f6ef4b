/**
 * A session that had printed past its limit was said to have printed only what was kept of it, until it ended and the number jumped:
 * who read on from there missed what a live reader saw, and a session whose holder was killed never had the right one.
 */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { isAlive } from "../chaos/processes.ts";
import { Bench } from "../support/holt.ts";

const KEPT = 1000;
const PRINTED = 50_000;
const SCRIPT = `head -c ${PRINTED} /dev/zero | tr '\\0' x; read -r go; printf more; exec sleep 600`;

interface Told {
  output_bytes: number;
  truncated: boolean;
}

async function started(bench: Bench): Promise<string> {
  const limit = ["--no-pty", "--max-output-bytes", String(KEPT)];
  const { text, stderr } = await bench.run(["start", ...limit, "--", "sh", "-c", SCRIPT]);
  expect(stderr).toBe("");
  return text.trim();
}

async function shown(bench: Bench, id: string): Promise<Told> {
  return JSON.parse((await bench.run(["show", id, "--json"])).text) as Told;
}

async function listed(bench: Bench): Promise<Told[]> {
  const { sessions } = JSON.parse((await bench.run(["ls", "--all", "--json"])).text) as { sessions: Told[] };
  return sessions;
}

describe("output_bytes counts what was printed, kept or not", () => {
  test("while the session lives, and once it has ended", async () => {
    using bench = new Bench();
    const id = await started(bench);
    await until("all is counted", async () => (await shown(bench, id)).output_bytes === PRINTED);
    expect(bench.output(id).length).toBe(KEPT);
    expect(await listed(bench)).toEqual([expect.objectContaining({ output_bytes: PRINTED, truncated: true })]);
    await bench.run(["send", id, "--text", "go", "--enter"]);
    await until("more is", async () => (await shown(bench, id)).output_bytes === PRINTED + "more".length);
    await bench.run(["kill", id]);
    expect(await shown(bench, id)).toMatchObject({ output_bytes: PRINTED + "more".length, truncated: true });
  });

  test("when its holder was killed; and a read comes to an end there", async () => {
    using bench = new Bench();
    const id = await started(bench);
    await until("all is counted", async () => (await shown(bench, id)).output_bytes === PRINTED);
    const { holder, process: command } = bench.meta(id);
    process.kill(holder.pid, "SIGKILL");
    await until("the holder is gone", () => !isAlive(holder.pid));
    expect(await shown(bench, id)).toMatchObject({ state: "failed", output_bytes: PRINTED, truncated: true });
    expect((await bench.run(["logs", id])).text).toBe("x".repeat(KEPT));
    await bench.run(["kill", id]);
    await until("the command is, too", () => !isAlive(command?.pid ?? 0));
  });
});
