/** What a command says beside what it prints: kept under its name, and given back as what it is. */
import { expect, test } from "bun:test";
import { array, assert, constantFrom, integer, property, uint8Array } from "fast-check";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeData, encodeData, FrameParser } from "../../src/protocol/wire/frames.ts";
import { parseIndexRecord } from "../../src/transcript/read/index-file.ts";
import { encodeIndexRecord } from "../../src/transcript/index-record.ts";
import { failure } from "../client/failure.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { seed } from "../support/seed.ts";

test("descriptors of its own, each in its format, apart from what it prints", async () => {
  await withDaemon(async (client, bench) => {
    const command = `
      echo out; echo err >&2
      echo '{"a":1}' >&$HOLT_CHANNEL_METRICS_FD; echo one >&$HOLT_CHANNEL_LOGS_FD; echo '{"a":2}' >&3
      printf 'two\\nthree' >&4; printf '{"x":' >&5; printf '[1]}' >&5; printf 'bytes' >&6; echo '{"a":3}' >&3`;
    const result = await client.call("exec.run", {
      command,
      channels: [
        { name: "metrics", format: "jsonl" },
        { name: "logs", format: "lines" },
        { name: "agent", format: "json" },
        { name: "raw_one" },
        { name: "silent", format: "lines" },
      ],
    });
    expect(result.channels).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      metrics: [{ a: 1 }, { a: 2 }, { a: 3 }],
      logs: ["one", "two", "three"],
      agent: { x: [1] },
      raw_one: "bytes",
      silent: [],
    });
    expect(result).toMatchObject({ channel_errors: {}, truncated: false, output_complete: true });
    const { session_id } = result;
    const output = await client.call("exec.output", { session_id, channel: "metrics" });
    expect(output.channels).toEqual({ metrics: '{"a":1}\n{"a":2}\n{"a":3}\n' });
    const read = await client.call("session.read", { session_id, channel: "raw_one" });
    expect(read).toMatchObject({ chunks: [{ channel: "raw_one", data: Buffer.from("bytes").toString("base64") }] });
    expect(bench.meta(session_id).channels.map(({ name, source }) => [name, source])[0]).toEqual(["metrics", "fd"]);
    expect(bench.meta(session_id).env_keys).not.toContain("3");
  });
});

test("what is not of its format is given as text, with the reason", async () => {
  await withDaemon(async (client) => {
    const channels = [
      { name: "one", format: "json" as const },
      { name: "many", format: "jsonl" as const },
    ];
    const wrong = await client.call("exec.run", { command: "echo '{' >&3; printf '1\\nx\\n' >&4", channels });
    expect(wrong.channels).toMatchObject({ one: "{\n", many: "1\nx\n" });
    expect(Object.keys(wrong.channel_errors)).toEqual(["one", "many"]);
    const cut = await client.call("exec.run", { command: "echo '[1]' >&3; echo more", channels, max_bytes: 6 });
    expect(cut).toMatchObject({ truncated: true, channel_errors: { one: "incomplete" } });
  });
});

test("a file that it writes, from where it was", async () => {
  await withDaemon(async (client, bench) => {
    const path = join(bench.root, "app.log");
    writeFileSync(path, "old\n");
    const channels = [
      { name: "log", format: "lines" as const, source: "file" as const, path },
      { name: "fresh", format: "lines" as const, source: "file" as const, path: "fresh.log" },
    ];
    const command =
      'echo new >>"$HOLT_CHANNEL_LOG_PATH"; sleep 0.2; echo later >"$HOLT_CHANNEL_FRESH_PATH"; echo last >>fresh.log';
    const { channels: said } = await client.call("exec.run", { command, channels, cwd: bench.root });
    expect(said).toMatchObject({ log: ["new"], fresh: ["later", "last"] });
    appendFileSync(path, "after\n");
  });
});

test("a socket that it connects to, which is gone afterwards", async () => {
  await withDaemon(async (client) => {
    const script = `
      const { createConnection } = require("node:net");
      console.log(process.env.HOLT_CHANNEL_EVENTS_SOCKET);
      const socket = createConnection(process.env.HOLT_CHANNEL_EVENTS_SOCKET, () => socket.end('{"n":1}\\n{"n":2}\\n'));`;
    const { channels: said } = await client.call("exec.run", {
      args: [process.execPath, "-e", script],
      channels: [{ name: "events", format: "jsonl", source: "socket" }],
    });
    expect(said).toMatchObject({ events: [{ n: 1 }, { n: 2 }] });
    await until("its name is gone", () => !existsSync(said["stdout"].trim()));
  });
});

/** Found by a reviewer: the ninth was hung up on, and what it said was lost. */
test("more connections than are read at once wait, and all that they say arrives", async () => {
  await withDaemon(async (client) => {
    const script = `
import os, socket
ends = []
for n in range(40):
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ["HOLT_CHANNEL_M_SOCKET"])
    ends.append(end)
for n, end in enumerate(ends):
    end.sendall(b"%d\\n" % n)`;
    const { channels } = await client.call("exec.run", {
      args: ["python3", "-S", "-c", script],
      channels: [{ name: "m", source: "socket", format: "lines" }],
    });
    const said = (channels["m"] as string[]).map(Number).toSorted((a, b) => a - b);
    expect(said).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });
});

/** Found by a reviewer: a log that was rotated was followed no more. */
test("a file that is put in its place is read, too, and a link to one once", async () => {
  await withDaemon(async (client, bench) => {
    const step = (n: number) => `until [ -e step${n} ]; do sleep 0.01; done`;
    const command = `
      f=$HOLT_CHANNEL_M_PATH; : > real; ln -s real "$f"; echo one >> real; ${step(1)}; echo two >> real
      mv "$f" old; echo three > "$f"; ${step(2)}; echo four > next; mv next "$f"; ${step(3)}`;
    const { session_id } = await client.call("exec.run_background", {
      command,
      cwd: bench.root,
      channels: [{ name: "m", source: "file", path: "followed", format: "lines" }],
    });
    for (const [n, said] of ["one\n", "one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"].entries()) {
      await until(`it has said ${said}`, () => bench.output(session_id).toString() === said);
      writeFileSync(join(bench.root, `step${n + 1}`), "");
    }
    await client.call("session.wait", { session_id, until: "exit" });
    expect(bench.output(session_id).toString()).toBe("one\ntwo\nthree\nfour\n");
  });
});

test("structured: stdout, parsed", async () => {
  await withDaemon(async (client) => {
    const channels = [{ name: "report", source: "structured" as const }];
    const json = await client.call("exec.run", { command: `echo '{"ok": true}'`, channels });
    expect(json.channels).toMatchObject({ stdout: '{"ok": true}\n', report: { ok: true } });
    expect((await client.call("exec.run", { command: "echo fine", channels })).channels["report"]).toBeNull();
  });
});

test("on a terminal too, and those who follow get them under their names", async () => {
  await withDaemon(async (client, bench) => {
    const gate = join(bench.root, "gate");
    const command = `until test -e '${gate}'; do sleep 0.02; done; echo shown; echo hidden >&3; echo shown too`;
    const { session_id } = await client.call("session.start", { command, channels: [{ name: "logs" }] });
    const following = bench.run(["logs", "-f", "--json", session_id]);
    const waiting = client.call("session.wait", { session_id, until: { match: "hidden" }, cursor: "0" });
    writeFileSync(gate, "");
    expect((await waiting).outcome).toBe("matched");
    const lines = (await following).text.trim().split("\n");
    const chunks = lines.map((line) => JSON.parse(line) as { channel: string; data: string });
    const said = (name: string): string =>
      chunks
        .filter(({ channel }) => channel === name)
        .map(({ data }) => Buffer.from(data, "base64").toString())
        .join("");
    expect({ pty: said("pty"), logs: said("logs") }).toEqual({ pty: "shown\r\nshown too\r\n", logs: "hidden\n" });
    const { content } = await client.call("session.screen", { session_id });
    expect(content?.trim()).toBe("shown\nshown too");
    expect(bench.final(session_id)).toMatchObject({ output_complete: true });
  });
});

test("much on several at once is neither lost nor mixed", async () => {
  await withDaemon(async (client) => {
    const line = (name: string) => `yes ${name} | head -n 20000`;
    const result = await client.call("exec.run", {
      command: `${line("a")} >&3 & ${line("b")} >&4 & ${line("c")} & wait`,
      channels: [{ name: "one" }, { name: "two" }],
      max_bytes: 1_000_000,
    });
    const { stdout, one, two } = result.channels;
    expect([one, two, stdout]).toEqual(["a", "b", "c"].map((letter) => `${letter}\n`.repeat(20_000)));
  });
});

test("what cannot be a channel is refused, and leaves nothing behind", async () => {
  await withDaemon(async (client, bench) => {
    const refused = (channels: object[]) =>
      failure(client.call("exec.run", { command: "true", channels: channels as { name: string }[] }));
    for (const channels of [
      [{ name: "stdout" }],
      [{ name: "Logs" }],
      [{ name: "a/b" }],
      [{ name: "a" }, { name: "a" }],
      [{ name: "a", source: "file" }],
      [{ name: "a", path: "/tmp/x" }],
      [{ name: "a", format: "xml" }],
      Array.from({ length: 8 }, (_, i) => ({ name: `c${i}` })),
    ])
      expect(await refused(channels)).toMatchObject({ code: "EBADARGS" });
    expect(bench.started()).toEqual([]);
    const lost = client.call("exec.run", {
      args: ["no-such-command"],
      channels: [{ name: "a" }, { name: "b", source: "socket" }],
    });
    expect(await failure(lost)).toMatchObject({ code: "ENOTFOUND" });
    expect(existsSync(bench.state)).toBe(true);
  });
});

test("frames and index records carry any channel's bytes, and refuse what is none", () => {
  const channel = constantFrom("pty", "stdout", "stderr", "logs", "a_b2");
  assert(
    property(channel, uint8Array({ maxLength: 50 }), integer({ min: 0, max: 2 ** 40 }), (name, bytes, cursor) => {
      const [frame] = new FrameParser().push(encodeData({ cursor, timestamp: 5, channel: name, bytes }));
      expect(decodeData(frame?.payload ?? new Uint8Array(0))).toEqual({ cursor, timestamp: 5, channel: name, bytes });
      const record = { offset: cursor, length: bytes.length, channel: name, timestamp: "2020-01-01T00:00:00.000Z" };
      expect(parseIndexRecord(encodeIndexRecord(record).trimEnd())).toEqual(record);
    }),
    { seed },
  );
  assert(
    property(array(integer({ min: 0, max: 255 }), { maxLength: 40 }), (noise) => {
      const decoded = decodeData(Uint8Array.from(noise));
      expect(decoded === null || /^[a-z][a-z0-9_]*$/.test(decoded.channel)).toBe(true);
    }),
    { seed },
  );
  const other = { offset: 0, length: 1, channel: "../x", timestamp: "2020-01-01T00:00:00.000Z" };
  expect(parseIndexRecord(JSON.stringify(other))).toBeNull();
});
