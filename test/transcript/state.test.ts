import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, utimesSync } from "node:fs";
import { identityOf } from "../../src/platform/process/processes.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { lifeOf, type StateOptions, sessionFrom } from "../../src/transcript/read/state.ts";
import { finalOf, metaOf, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

function state(id: string, options: StateOptions = {}) {
  using dir = SessionDir.open(scratch.layout, id);
  return sessionFrom(dir, options);
}

describe("a session", () => {
  test("that was only claimed is none yet, and is not lost", () => {
    using dir = SessionDir.create(scratch.layout, "s");
    expect(lifeOf(dir).kind).toBe("unclaimed");
    dir.lock();
    expect(lifeOf(dir).kind).toBe("held");
    expect(state("s")).toBeNull();
  });

  test("is starting until the command's pid is known, and then running", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s", { process: null, started_at: null }));
    expect(state("s")).toMatchObject({ state: "starting", reason: null, ended_at: null });
    writeMeta(held.dir, metaOf("s"));
    held.writer.append("pty", Buffer.from("hello"), Date.now());
    expect(state("s")).toMatchObject({ state: "running", output_bytes: 5, survivors: [], output_complete: null });
  });

  test("is what final.json says, even while its holder still lives", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    const final = finalOf("s", { state: "signaled", reason: "kill_requested", exit_code: null, signal: "SIGKILL" });
    held.dir.writeAtomic("final.json", JSON.stringify(final), { sync: false });
    const { ended_uptime: _forRetention, ...shown } = final;
    const rest = {
      survivors: [],
      current_size: { cols: 80, rows: 24 },
      next_session_id: null,
      quiet: false,
      quiet_since: null,
    };
    expect(state("s")).toEqual({ ...metaOf("s"), ...shown, ...rest });
  });

  test("whose holder is gone without a word is failed, holder_lost, at the time of its last sign, or when it was missed", () => {
    scratch.lose("s", { output: "some", meta: { started_at: "2023-11-14T22:13:00.000Z" } });
    for (const name of ["meta.json", "index.jsonl", "append.lock"])
      utimesSync(scratch.path("s", name), 1_600_000_000, 1_600_000_000);
    utimesSync(scratch.path("s", "output.bin"), 1_700_000_000, 1_700_000_000.25);
    expect(state("s")).toMatchObject({
      state: "failed",
      reason: "holder_lost",
      ended_at: "2023-11-14T22:13:20.250Z",
      duration_ms: 20_250,
      output_bytes: 4,
      output_complete: false,
      exit_code: null,
      signal: null,
    });
    utimesSync(scratch.path("s", "append.lock"), 1_700_000_900, 1_700_000_900);
    expect(state("s")).toMatchObject({ ended_at: "2023-11-14T22:28:20.000Z", duration_ms: 20_250 });
  });

  test("with a damaged final.json and no holder is lost, and with a living one is running", () => {
    scratch.lose("s");
    plant(scratch, "s", "final.json", '{"format":1');
    expect(state("s")).toMatchObject({ state: "failed", reason: "holder_lost" });
    using held = scratch.hold("t");
    writeMeta(held.dir, metaOf("t"));
    plant(scratch, "t", "final.json", "");
    expect(state("t")).toMatchObject({ state: "running" });
  });

  test("with a damaged meta.json keeps its outcome", () => {
    scratch.end("s", { final: { exit_code: 7 } });
    plant(scratch, "s", "meta.json", "not json");
    expect(state("s")).toMatchObject({ session_id: "s", state: "exited", exit_code: 7, argv: [] });
  });

  test("with neither record readable is none", () => {
    scratch.end("s");
    plant(scratch, "s", "meta.json", "");
    plant(scratch, "s", "final.json", "");
    expect(state("s")).toBeNull();
  });

  test("that lost its lock file is not taken for a living one", () => {
    scratch.lose("s");
    rmSync(scratch.path("s", "append.lock"));
    expect(state("s")).toMatchObject({ reason: "holder_lost" });
  });
});

describe("survivors of a lost holder", () => {
  test("are its command and whoever carries its id, when asked for", async () => {
    const command = Bun.spawn(["sleep", "1000"], { stdio: ["ignore", "ignore", "ignore"] });
    const other = Bun.spawn(["sleep", "1000"], {
      env: { ...process.env, HOLT_SESSION_ID: "s" },
      stdio: ["ignore", "ignore", "ignore"],
    });
    try {
      scratch.lose("s", { meta: { process: identityOf(command.pid) } });
      expect(state("s")?.survivors).toEqual([]);
      expect(new Set(state("s", { survivors: true })?.survivors)).toEqual(new Set([command.pid, other.pid]));
    } finally {
      command.kill("SIGKILL");
      other.kill("SIGKILL");
      await Promise.all([command.exited, other.exited]);
    }
    expect(state("s", { survivors: true })?.survivors).toEqual([]);
  });
});
