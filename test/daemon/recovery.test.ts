/** What a new daemon finds of sessions that it did not start, also those of an older holt. */
import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJson, encodeJsonFrame, FRAME, FrameParser } from "../../src/protocol/wire/frames.ts";
import { layoutAt, prepareLayout, socketPath } from "../../src/transcript/layout.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { metaOf } from "../client/sessions.ts";
import { failure } from "../client/failure.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { dial, end } from "./household.ts";

test("sessions are found again with their exit codes, cursors and output, and lost ones are told", async () => {
  using bench = Bench.withDaemon();
  await bench.run(["daemon"]);
  const start = async (script: string): Promise<string> =>
    (await bench.run(["start", "--no-pty", "--", "sh", "-c", script])).text.trim();
  const alive = await start("echo alive; sleep 60");
  const ending = await start("until [ -e go ]; do sleep 0.02; done; echo late; exit 9");
  const lost = await start("echo lost; sleep 60");
  await until("all have begun", () => bench.output(alive).includes("alive") && bench.output(lost).includes("lost"));
  bench.killDaemon();
  process.kill(bench.meta(lost).holder.pid, "SIGKILL");
  writeFileSync(join(bench.root, "go"), "");
  await until("it ended without a daemon", () => !isAlive(bench.meta(ending).holder.pid));
  await bench.run(["daemon"]);
  using client = await dial(bench);
  expect(await client.call("session.get", { session_id: ending })).toMatchObject({ state: "exited", exit_code: 9 });
  expect(await client.call("session.get", { session_id: alive })).toMatchObject({ state: "running", output_bytes: 6 });
  const { reason, survivors } = await client.call("session.get", { session_id: lost });
  expect({ reason, survives: survivors.length > 0 }).toEqual({ reason: "holder_lost", survives: true });
  expect(await client.call("health.info", {})).toMatchObject({
    sessions: { running: 1, ended: 1, lost: 1 },
    holders: 1,
  });
  await client.call("session.stop", { session_id: lost, grace_ms: 100 });
  expect((await client.call("session.get", { session_id: lost })).survivors).toEqual([]);
  await client.call("session.kill", { session_id: alive });
  await end(bench);
});

test("a daemon drives the holder of an older holt: its HELLO, its frames, and what it does not know", async () => {
  using bench = Bench.withDaemon();
  const layout = layoutAt(bench.state);
  prepareLayout(layout);
  using dir = SessionDir.create(layout, "old");
  dir.lock();
  const socket = socketPath(layout, "old");
  const asked: unknown[] = [];
  const listener = Bun.listen<{ parser: FrameParser }>({
    unix: socket,
    socket: {
      open(connection) {
        connection.data = { parser: new FrameParser() };
      },
      data(connection, bytes) {
        for (const { type, payload } of connection.data.parser.push(bytes)) {
          const value = decodeJson(payload);
          if (type === FRAME.hello)
            connection.write(encodeJsonFrame(FRAME.hello, { protocol: 1, holt_version: "0.0.9", session_id: "old" }));
          else if (type === FRAME.request && value?.["method"] === "input") {
            asked.push(value);
            connection.write(encodeJsonFrame(FRAME.result, { id: value["id"], result: { bytes_written: 2 } }));
          } else
            connection.write(
              encodeJsonFrame(FRAME.error, {
                id: value?.["id"],
                code: "EBADARGS",
                message: "a holder has no such method",
              }),
            );
        }
      },
    },
  });
  writeMeta(dir, metaOf("old", { socket, holt_version: "0.0.9" }));
  using _writer = TranscriptWriter.create(dir, { maxBytes: 1024 });
  try {
    await bench.run(["daemon"]);
    using client = await dial(bench);
    expect(await client.call("health.info", {})).toMatchObject({ holders: 1 });
    expect(await client.call("session.send", { session_id: "old", text: "hi" })).toEqual({
      bytes_written: 2,
      next_cursor: "0", // it does not say: as far as the disk tells
    });
    expect(asked).toMatchObject([{ method: "input", params: { data: "aGk=" } }]);
    expect(await failure(client.call("session.resize", { session_id: "old", cols: 1, rows: 1 }))).toMatchObject({
      message: "a holder has no such method",
    });
    await client.call("health.info", {});
  } finally {
    listener.stop(true);
    rmSync(socket, { force: true });
    await end(bench);
  }
});
