import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { isAlive } from "../chaos/processes.ts";
import { MAX_INPUT_BYTES } from "../../src/protocol/wire/holder-methods.ts";
import { failure } from "../client/failure.ts";
import { withDaemon } from "../daemon/household.ts";
import { expectGolden } from "./golden.ts";
import { otherFileAt } from "../support/other-file.ts";

const text = (data: string): string => Buffer.from(data, "base64").toString();
const base64 = (typed: string): string => Buffer.from(typed).toString("base64");

/** Reads on until it is there, as a client would. */
async function readUntil(client: DaemonClient, id: string, wanted: string, strip_ansi = false): Promise<string> {
  let seen = "";
  for (let since_seq = 0; !seen.includes(wanted); ) {
    const { chunks, closed } = await client.call("pty.read", { id, since_seq, timeout_ms: 20_000, strip_ansi });
    for (const { seq, data } of chunks) {
      seen += text(data);
      since_seq = seq;
    }
    if (closed && !seen.includes(wanted)) throw new Error(`closed after ${JSON.stringify(seen)}`);
  }
  return seen;
}

test("a shell is opened, typed into, read, resized, signaled and closed", async () => {
  await withDaemon(async (client, bench) => {
    const opened = await client.call("pty.open", {
      argv: ["/bin/sh"],
      rows: 30,
      cols: 90,
      env: { PS1: "> " },
      cwd: "/",
    });
    expectGolden("pty.open", opened);
    const { id } = opened;
    await readUntil(client, id, "> ");
    const sent = await client.call("pty.send", { id, data: base64("stty size; pwd; echo $TERM$PATH\n") });
    expectGolden("pty.send", sent);
    expect(await readUntil(client, id, "xterm-256color")).toContain("30 90\r\n/\r\n");
    expect(await client.call("pty.resize", { id, rows: 20, cols: 70 })).toEqual({});
    await client.call("pty.send", { id, data: base64("stty size; echo set\n") });
    await readUntil(client, id, "20 70\r\nset");
    const { process: shell } = bench.meta(id);
    const closed = await client.call("pty.close", { id });
    expect(closed).toMatchObject({ rc: 128 + 1 });
    expectGolden("pty.close", closed);
    expect(isAlive(shell?.pid ?? 0)).toBe(false);
    expect(await client.call("pty.close", { id })).toEqual(closed);
    expect(await failure(client.call("pty.send", { id, data: "eA==" }))).toMatchObject({ code: "ESESSIONCLOSED" });
    expect(await failure(client.call("pty.resize", { id, rows: 1, cols: 1 }))).toMatchObject({
      code: "ESESSIONCLOSED",
    });
    expect(await failure(client.call("pty.signal", { id, signal: "INT" }))).toMatchObject({ code: "ESESSIONCLOSED" });
  });
});

test("the last seq seen is the next since_seq: nothing comes twice, and nothing is missed", async () => {
  await withDaemon(async (client) => {
    const { id } = await client.call("pty.open", { argv: ["/bin/sh", "-c", "seq 1 500"] });
    let seen = "";
    let isClosed = false;
    for (let since_seq = 0; !isClosed; ) {
      const { chunks, closed } = await client.call("pty.read", { id, since_seq, max_bytes: 7, timeout_ms: 20_000 });
      for (const { seq, data, stream } of chunks) {
        expect(stream).toBe("stdout");
        seen += text(data);
        expect(seq).toBe(seen.length);
        since_seq = seq;
      }
      isClosed = closed;
    }
    expect(seen).toBe(Array.from({ length: 500 }, (_, i) => `${i + 1}\r\n`).join(""));
    const page = await client.call("pty.read", { id, since_seq: 3, max_bytes: 3 });
    expectGolden("pty.read", page);
  });
});

test("a signal reaches the program; a timeout ends it", async () => {
  await withDaemon(async (client) => {
    const { id } = await client.call("pty.open", {
      argv: ["/bin/sh", "-c", "trap 'exit 9' QUIT; echo up; sleep 60 & wait"],
    });
    await readUntil(client, id, "up");
    expect(await client.call("pty.signal", { id, signal: "QUIT" })).toEqual({});
    await client.call("session.wait", { session_id: id });
    expect(await client.call("pty.close", { id })).toMatchObject({ rc: 9 });
    const brief = await client.call("pty.open", { argv: ["sleep", "60"], timeout_ms: 100 });
    await client.call("session.wait", { session_id: brief.id });
    expect(await client.call("pty.close", { id: brief.id })).toMatchObject({ rc: 143 });
  });
});

test("without argv it is the user's shell", async () => {
  await withDaemon(async (client, bench) => {
    const { id } = await client.call("pty.open", { env: { SHELL: "/bin/sh", PS1: "> " } });
    expect(bench.meta(id).argv).toEqual(["/bin/sh"]);
    await client.call("pty.close", { id });
  });
});

test("strip_ansi leaves the text, however the sequences were cut by time or by size", async () => {
  await withDaemon(async (client) => {
    const script =
      "printf '\\033[1mbo'; sleep 0.1; printf 'ld\\033['; sleep 0.1; printf '0m \\033]0;title'; sleep 0.1; printf '\\007é\\n'";
    const { id } = await client.call("pty.open", { argv: ["/bin/sh", "-c", script] });
    expect((await readUntil(client, id, "é", true)).trim()).toBe("bold é");
    await client.call("session.wait", { session_id: id });
    for (const max_bytes of [1, 2, 3, 5, 8]) {
      let seen = "";
      for (let since_seq = 0, isClosed = false; !isClosed; ) {
        const { chunks, closed } = await client.call("pty.read", { id, since_seq, max_bytes, strip_ansi: true });
        seen += chunks.map(({ data }) => text(data)).join("");
        since_seq = chunks.at(-1)?.seq ?? since_seq;
        isClosed = closed;
      }
      expect(seen).toBe("bold é\r\n");
    }
  });
});

test("with nothing to read it waits, and no longer than it was told to", async () => {
  await withDaemon(async (client) => {
    const { id } = await client.call("pty.open", { argv: ["cat"] });
    expect(await client.call("pty.read", { id, timeout_ms: 0 })).toEqual({ chunks: [], closed: false });
    expect(await client.call("pty.read", { id, timeout_ms: 50 })).toEqual({ chunks: [], closed: false });
    const reading = client.call("pty.read", { id, timeout_ms: 20_000 });
    await client.call("pty.send", { id, data: base64("x") });
    expect(text((await reading).chunks[0]?.data ?? "")).toBe("x");
    await client.call("pty.close", { id });
  });
});

test("of what is not there, or cannot be done, they say so", async () => {
  await withDaemon(async (client, bench) => {
    const lost = { code: "ENOTFOUND", message: "session not found: nope" };
    const id = "nope";
    expect(await failure(client.call("pty.send", { id, data: "" }))).toMatchObject(lost);
    expect(await failure(client.call("pty.read", { id }))).toMatchObject(lost);
    expect(await failure(client.call("pty.resize", { id, rows: 1, cols: 1 }))).toMatchObject(lost);
    expect(await failure(client.call("pty.signal", { id, signal: "INT" }))).toMatchObject(lost);
    expect(await failure(client.call("pty.close", { id }))).toMatchObject(lost);
    expect(await failure(client.call("pty.open", { argv: ["nope"] }))).toMatchObject({ code: "ENOTFOUND" });
    expect(await failure(client.call("pty.open", { argv: ["/tmp"] }))).toMatchObject({ code: "EDENIED" });
    expect(await failure(client.call("pty.send", { id, data: "?" }))).toMatchObject({ code: "EBADARGS" });
    const big = Buffer.alloc(MAX_INPUT_BYTES + 1).toString("base64");
    expect(await failure(client.call("pty.send", { id, data: big }))).toMatchObject({ code: "EBADARGS" });

    const piped = await client.call("exec.run_background", { args: ["sleep", "60"] });
    const onPipes = { id: piped.session_id, rows: 1, cols: 1 };
    expect(await failure(client.call("pty.resize", onPipes))).toMatchObject({ code: "EDENIED" });
    const { socket, holder } = bench.meta(piped.session_id);
    otherFileAt(socket);
    for (const act of [
      () => client.call("pty.send", { id: onPipes.id, data: "" }),
      () => client.call("pty.resize", onPipes),
      () => client.call("pty.signal", { id: onPipes.id, signal: "INT" }),
      () => client.call("pty.close", { id: onPipes.id }),
    ])
      expect(await failure(act())).toMatchObject({ code: "EIO" });
    process.kill(holder.pid, "SIGKILL");
    while ((await client.call("session.get", { session_id: onPipes.id })).state === "running");
    expect(await client.call("pty.close", { id: onPipes.id })).not.toHaveProperty("rc");

    renameSync(join(bench.state, "sessions"), join(bench.state, "away"));
    writeFileSync(join(bench.state, "sessions"), "");
    expect(await failure(client.call("pty.open", { argv: ["true"] }))).toMatchObject({ code: "EDENIED" });
    const errors = [await failure(client.call("pty.read", { id })), await failure(client.call("pty.close", { id }))];
    rmSync(join(bench.state, "sessions"));
    renameSync(join(bench.state, "away"), join(bench.state, "sessions"));
    for (const error of errors) expect(error).toMatchObject({ code: "EDENIED" });
    const stopping = client.call("daemon.shutdown", { stop_sessions: true });
    expect(await failure(client.call("pty.open", { argv: ["true"] }))).toMatchObject({ code: "EBUSY" });
    await stopping;
  });
});
