/**
 * An agent that was refused had nothing by which its person could find the call in the log: errors of unknown methods, of messages that are none and of the
 * policy had no correlation id, and the log did not know the ids of the audit.
 */
import { describe, expect, test } from "bun:test";
import { configure } from "../config/configure.ts";
import { ServedBench, servedThroughout } from "../http/served.ts";
import { entriesOf, type Entry, HOSTILE_IDS, logEntries, OWN_ID } from "../support/log-entries.ts";
import { RawCaller, request } from "./raw-caller.ts";

interface RpcError {
  data: { correlation_id: string; code: string };
}

const served = servedThroughout();

/** Messages that no call is made of, or that fail as one, and where their ids are written. */
const REFUSED: [string, string, "log" | "log and audit"][] = [
  ["no JSON", "{\n", "log"],
  ["an empty batch", "[]\n", "log"],
  ["no version", '{"id":1,"method":"health.info"}\n', "log"],
  ["no method", '{"jsonrpc":"2.0","id":1}\n', "log"],
  ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"health.info"}\n', "log"],
  ["an unknown method", request(1, "session.lst"), "log and audit"],
  ["bad parameters", request(1, "session.get", { nonsense: 1 }), "log and audit"],
  ["a session that is not there", request(1, "session.get", { session_id: "nosuch" }), "log and audit"],
];

async function expectKnown({ data }: RpcError, where: "log" | "log and audit"): Promise<void> {
  expect(data.correlation_id).toMatch(OWN_ID);
  const error = expect.objectContaining({ error: data.code });
  expect(await entriesOf(served.bench, "holt", data.correlation_id)).toEqual([error]);
  if (where !== "log") expect(await entriesOf(served.bench, "audit", data.correlation_id)).toEqual([error]);
}

describe("An error of JSON-RPC has a correlation id", () => {
  test.each(REFUSED)("over the unix socket: %s", async (_name, message, where) => {
    using caller = await RawCaller.dial(served.bench);
    await caller.write(message);
    await expectKnown(((await caller.next()) as { error: RpcError }).error, where);
  });

  test.each(REFUSED)("over a WebSocket: %s", async (_name, message, where) => {
    const socket = served.http.socket("/api/v1/rpc");
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const told = new Promise<string>((resolve) =>
      socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true }),
    );
    socket.send(message);
    await expectKnown((JSON.parse(await told) as { error: RpcError }).error, where);
    socket.close();
  });

  test("in a batch, each its own", async () => {
    using caller = await RawCaller.dial(served.bench);
    const calls = [{ jsonrpc: "2.0", id: 1, method: "x.y" }, 1, { jsonrpc: "2.0", id: 2, method: "health.info" }];
    await caller.write(`${JSON.stringify(calls)}\n`);
    const answers = (await caller.next()) as { error?: RpcError }[];
    const ids = answers.map(({ error }) => error?.data.correlation_id);
    expect(ids).toEqual([expect.stringMatching(OWN_ID), expect.stringMatching(OWN_ID), undefined]);
    expect(new Set(ids).size).toBe(3);
  });

  test("where the policy refuses the call before anything looks at it", async () => {
    await using other = await ServedBench.open("[policy]\nmax_input_bytes = 8\n");
    using caller = await RawCaller.dial(other.bench);
    await caller.write(request(1, "session.send", { session_id: "x", text: "more than that" }));
    const { data } = ((await caller.next()) as { error: RpcError }).error;
    expect(data.code).toBe("ERLIMIT");
    const [told] = await entriesOf(other.bench, "audit", data.correlation_id);
    expect(told).toMatchObject({ error: "ERLIMIT" });
  });

  test("which is the caller's own where that is sane", async () => {
    using caller = await RawCaller.dial(served.bench);
    const ask = async (correlation_id: unknown): Promise<string> => {
      const call = { jsonrpc: "2.0", id: 1, method: "session.get", params: { session_id: "nosuch" }, correlation_id };
      await caller.write(`${JSON.stringify(call)}\n`);
      return ((await caller.next()) as { error: RpcError }).error.data.correlation_id;
    };
    expect(await ask("build-7:step.3")).toBe("build-7:step.3");
    for (const file of ["holt", "audit"] as const)
      expect(await entriesOf(served.bench, file, "build-7:step.3")).toMatchObject([
        { method: "session.get", error: "ENOTFOUND" },
      ]);
    for (const hostile of [...HOSTILE_IDS, 7, null, {}, ["x"]]) expect(await ask(hostile)).toMatch(OWN_ID);
  });
});

test("Each piece of output is in the log with its offset and size, at level debug and only there.", async () => {
  await using other = await ServedBench.open();
  const { bench } = other;
  const chunks = (id: string): Entry[] =>
    logEntries(bench, "holt").filter((entry) => entry["session_id"] === id && "chunk_size" in entry);
  await bench.run(["run", "--session-id", "quiet", "--", "echo", "hello"]);
  expect(chunks("quiet")).toEqual([]);
  configure(bench, '[log]\nlevel = "debug"\n');
  await bench.run(["run", "--session-id", "told", "--", "sh", "-c", "printf hello; printf 'no!' >&2"]);
  const told = chunks("told");
  expect(told.map(({ level }) => level)).toEqual(["debug", "debug"]);
  const sizes = Object.fromEntries(told.map(({ channel, chunk_size }) => [channel, chunk_size]));
  expect(sizes).toEqual({ stdout: 5, stderr: 3 });
  expect(new Set(told.map(({ chunk_offset }) => chunk_offset)).has(0)).toBe(true);
});
