/** Everything together: `holt run` in one process, the MCP server in another, a client in this one. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { size } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { StateDir } from "../client/sessions.ts";
import { type Answer, bytesOf, Connection, ERAS, environment, HOLT } from "./connect.ts";
import { socketsOf } from "../support/sockets.ts";

let state: StateDir;
beforeEach(() => {
  state = new StateDir();
});
afterEach(() => state[Symbol.dispose]());

/** `holt run -- sh -c SCRIPT`; the script goes on when it is sent a line. */
class Run implements AsyncDisposable {
  readonly #process;

  constructor(id: string, script: string) {
    this.#process = Bun.spawn([...HOLT, "run", "--session-id", id, "--", "sh", "-c", script], {
      env: environment(state),
      stdin: "pipe",
      stdout: "ignore",
      stderr: "inherit",
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  get exited(): Promise<number> {
    return this.#process.exited;
  }

  async goOn(): Promise<void> {
    void this.#process.stdin.write("\n");
    await this.#process.stdin.flush();
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
  }
}

/** Waits until the session has started: until then its id is not known. */
async function started(mcp: Connection, session_id: string): Promise<void> {
  for (;;) {
    const result = await mcp.call("get_session", { session_id });
    if (result.isError !== true && (result.structuredContent as Answer).session["state"] !== "starting") return;
    await Bun.sleep(5);
  }
}

/** Reads on until the end, by waits alone. */
async function tail(mcp: Connection, session_id: string): Promise<string> {
  let text = "";
  for (let cursor = "0", eof = false; !eof; ) {
    const answer = await mcp.ask("wait_output", { session_id, cursor });
    text += bytesOf(answer).toString("latin1");
    ({ next_cursor: cursor, eof } = answer);
  }
  return text;
}

describe.each(ERAS)("a real session, %s era:", (era) => {
  test("is followed live while it runs, and an exit wakes the wait", async () => {
    await using mcp = await Connection.open(state, era);
    await using run = new Run("live", "echo one; read x; echo two >&2; read x; printf three; exit 3");
    await started(mcp, "live");

    const first = await mcp.ask("wait_output", { session_id: "live", cursor: "0" });
    expect(first).toMatchObject({ outcome: "data", next_cursor: "4", eof: false });
    expect(bytesOf(first).toString()).toBe("one\n");

    const second = mcp.ask("wait_output", { session_id: "live", cursor: "4" });
    await run.goOn();
    expect(await second).toMatchObject({
      outcome: "data",
      chunks: [{ channel: "stderr", offset: "4" }],
      next_cursor: "8",
    });

    await run.goOn();
    const third = await mcp.ask("wait_output", { session_id: "live", cursor: "8" });
    expect(bytesOf(third).toString()).toBe("three");
    const last = await mcp.ask("wait_output", { session_id: "live", cursor: third.next_cursor });
    expect(last).toMatchObject({ outcome: "exited", eof: true, next_cursor: "13" });
    expect(await run.exited).toBe(3);
    expect((await mcp.ask("get_session", { session_id: "live" })).session).toMatchObject({
      state: "exited",
      exit_code: 3,
    });
  });

  test("is replayed from the start after its end", async () => {
    await using mcp = await Connection.open(state, era);
    {
      await using run = new Run("done", "seq 1 2000");
      await run.exited;
    }
    const expected = Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join("");
    expect(await tail(mcp, "done")).toBe(expected);
    const read = await mcp.ask("read_output", { session_id: "done", cursor: "0", max_bytes: 1_000_000 });
    expect(bytesOf(read).toString()).toBe(expected);
    expect(read.eof).toBe(true);
  });

  test("that times out while silent and then ends wakes the next wait", async () => {
    await using mcp = await Connection.open(state, era);
    await using run = new Run("silent", "read x");
    await started(mcp, "silent");
    const wait = (timeout_ms: number) => mcp.ask("wait_output", { session_id: "silent", cursor: "0", timeout_ms });
    expect(await wait(200)).toMatchObject({ outcome: "timeout", timed_out: true, next_cursor: "0", eof: false });
    const waiting = wait(60_000);
    await run.goOn();
    expect(await waiting).toMatchObject({ outcome: "exited", timed_out: false, eof: true });
  });

  test("whose holder is killed wakes the wait and is failed, its output still there", async () => {
    await using mcp = await Connection.open(state, era);
    await using run = new Run("lost", "echo kept; read x");
    await started(mcp, "lost");
    expect(bytesOf(await mcp.ask("wait_output", { session_id: "lost", cursor: "0" })).toString()).toBe("kept\n");
    const waiting = mcp.ask("wait_output", { session_id: "lost", cursor: "5" });
    run.kill("SIGKILL");
    expect(await waiting).toMatchObject({ outcome: "exited", eof: true, next_cursor: "5" });
    const { session } = await mcp.ask("get_session", { session_id: "lost" });
    expect(session).toMatchObject({ state: "failed", reason: "holder_lost" });
    expect(bytesOf(await mcp.ask("read_output", { session_id: "lost" })).toString()).toBe("kept\n");
  });

  test("keeps no connection of a wait that was cancelled", async () => {
    await using mcp = await Connection.open(state, era);
    await using run = new Run("run", "read x");
    await started(mcp, "run");
    await mcp.ask("wait_output", { session_id: "run", cursor: "0", timeout_ms: 50 });
    const before = await steady(() => socketsOf(run.pid));
    const abort = new AbortController();
    const waiting = mcp.call("wait_output", { session_id: "run", cursor: "0" }, abort.signal);
    await until(() => socketsOf(run.pid) === before + 1);
    abort.abort();
    await failure(waiting);
    await until(() => socketsOf(run.pid) === before);
  });

  test("wakes eight who wait for it at once", async () => {
    await using mcp = await Connection.open(state, era);
    await using run = new Run("run", "read x; echo all");
    await started(mcp, "run");
    const before = socketsOf(run.pid);
    const waiting = Array.from({ length: 8 }, () => mcp.ask("wait_output", { session_id: "run", cursor: "0" }));
    await until(() => socketsOf(run.pid) === before + 8);
    await run.goOn();
    for (const answer of await Promise.all(waiting)) expect(bytesOf(answer).toString()).toBe("all\n");
  });

  test("of several at once keeps its own output and cursors", async () => {
    await using mcp = await Connection.open(state, era);
    const ids = Array.from({ length: 6 }, (_, index) => `s${index}`);
    await using runs = new AsyncDisposableStack();
    for (const id of ids) runs.use(new Run(id, `for i in $(seq 200); do echo ${id} $i; done`));
    await Promise.all(ids.map((id) => started(mcp, id)));
    const texts = await Promise.all(ids.map((id) => tail(mcp, id)));
    for (const [index, text] of texts.entries()) {
      expect(text).toBe(Array.from({ length: 200 }, (_, line) => `s${index} ${line + 1}\n`).join(""));
    }
  });
});

const MIB = size(16, 64);
const BIG = `seq 1 9000000 | head -c ${MIB * 1024 * 1024}`;

test(`${MIB} MiB come back byte for byte, read in pieces of odd sizes, and the same cursor gives the same bytes`, async () => {
  await using mcp = await Connection.open(state, "modern");
  {
    await using run = new Run("big", BIG);
    expect(await run.exited).toBe(0);
  }
  const sum = new Bun.CryptoHasher("sha256");
  const sizes = [1, 7, 4099, 65_537, 1_048_573, 999_983, 524_287, 1_048_576];
  let [cursor, turn] = [0, 0];
  for (let eof = false; !eof; turn++) {
    const max_bytes = sizes[turn % sizes.length] ?? 1;
    const answer = await mcp.ask("read_output", { session_id: "big", cursor: String(cursor), max_bytes });
    const bytes = bytesOf(answer);
    expect(bytes.length).toBeLessThanOrEqual(max_bytes);
    expect(answer.next_cursor).toBe(String(cursor + bytes.length));
    expect(answer.chunks[0]?.offset).toBe(String(cursor));
    if (turn % 20 === 0) {
      const again = await mcp.ask("read_output", { session_id: "big", cursor: String(cursor), max_bytes });
      expect(bytesOf(again).equals(bytes)).toBe(true);
    }
    sum.update(bytes);
    ({ eof } = answer);
    cursor += bytes.length;
  }
  expect(cursor).toBe(MIB * 1024 * 1024);
  const expected = await Bun.$`sh -c ${BIG} | sha256sum`.text();
  expect(sum.digest("hex")).toBe(expected.split(" ")[0] ?? "");
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2);
}

/** The value once it stays the same for some time. */
async function steady(value: () => number): Promise<number> {
  for (let last = value(), same = 0; ; same = value() === last ? same + 1 : 0, last = value()) {
    if (same === 20) return last;
    await Bun.sleep(2);
  }
}
