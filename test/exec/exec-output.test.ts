/** How much of its output a call answers with: exactly as much as it may, and the rest is there. */
import { expect, test } from "bun:test";
import { array, assert, asyncProperty, constantFrom, integer } from "fast-check";
import { seed } from "../support/seed.ts";
import { size } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";

test("an answer has as many bytes as it may, to the byte, and says whether that was all", async () => {
  await withDaemon(async (client) => {
    const run = async (printed: number, max_bytes: number) => {
      const args = ["head", "-c", String(printed), "/dev/zero"];
      const { channels, truncated, next_cursor } = await client.call("exec.run", {
        args,
        max_bytes,
        encoding: "base64",
      });
      const length = Buffer.from(channels["stdout"] ?? "", "base64").length;
      return { length, truncated, next_cursor };
    };
    expect(await run(1000, 999)).toEqual({ length: 999, truncated: true, next_cursor: "999" });
    expect(await run(1000, 1000)).toEqual({ length: 1000, truncated: false, next_cursor: "1000" });
    expect(await run(1000, 0)).toEqual({ length: 0, truncated: true, next_cursor: "0" });
    expect(await run(0, 0)).toEqual({ length: 0, truncated: false, next_cursor: "0" });
    expect(await run(200_000, 65_537)).toEqual({ length: 65_537, truncated: true, next_cursor: "65537" });
    expect(await run(3_000_000, 5_000_000)).toEqual({ length: 1_048_576, truncated: true, next_cursor: "1048576" });
    const { stdout, truncated } = await client.call("shell.run", {
      argv: ["head", "-c", "70000", "/dev/zero"],
      max_bytes: 69_999,
    });
    expect([Buffer.from(stdout, "base64").length, truncated]).toEqual([69_999, true]);
  });
});

test("read page by page it is what was printed, and no character is cut in two", async () => {
  await withDaemon(async (client) => {
    const text = array(constantFrom("a", "é", "漢", "🦦", "\n"), { minLength: 1, maxLength: 60 });
    const pages = integer({ min: 4, max: 17 });
    await assert(
      asyncProperty(text, pages, async (characters, max_bytes) => {
        const printed = characters.join("");
        const first = await client.call("exec.run", { args: ["cat"], stdin: printed, max_bytes });
        let read = first.channels["stdout"] ?? "";
        let { next_cursor: cursor, truncated } = first;
        while (truncated) {
          const page = await client.call("exec.output", { session_id: first.session_id, cursor, max_bytes });
          expect(Buffer.byteLength(page.channels["stdout"] ?? "")).toBeLessThanOrEqual(max_bytes);
          read += page.channels["stdout"] ?? "";
          ({ next_cursor: cursor, truncated } = page);
        }
        expect(read).toBe(printed);
      }),
      { seed, numRuns: size(25, 500) },
    );
  });
}, 300_000);

test("output that was not kept is missed, not invented", async () => {
  await withDaemon(async (client) => {
    const { session_id } = await client.call("session.start", {
      argv: ["head", "-c", "100", "/dev/zero"],
      pty: false,
      max_output_bytes: 40,
    });
    await client.call("session.wait", { session_id });
    const output = await client.call("exec.output", { session_id });
    expect(output.channels["stdout"]?.length).toBe(40);
    expect(output).toMatchObject({ eof: true, truncated: true, next_cursor: "100" });
  });
});

test("a wait for output ends with output, with the end, or when it has lasted long enough", async () => {
  await withDaemon(async (client) => {
    const { session_id } = await client.call("exec.run_background", { args: ["cat"], stdin: true });
    const read = (cursor: string, wait_ms: number) => client.call("exec.output", { session_id, cursor, wait_ms });
    expect(await read("0", 50)).toMatchObject({ channels: {}, eof: false, next_cursor: "0" });
    const [page] = await Promise.all([read("0", 20_000), later(client, session_id, { text: "x" })]);
    expect(page).toMatchObject({ channels: { stdout: "x" }, next_cursor: "1" });
    const [last] = await Promise.all([read("1", 20_000), later(client, session_id, { eof: true })]);
    expect(last).toMatchObject({ channels: {}, eof: true, state: "exited" });
  });
});

async function later(client: DaemonClient, session_id: string, sent: { text?: string; eof?: boolean }): Promise<void> {
  await client.call("health.info", {}); // behind the wait, on the same connection
  await client.call("session.send", { session_id, ...sent });
}
