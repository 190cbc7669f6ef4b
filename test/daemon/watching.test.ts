/** What somebody needs who watches: what sessions do now, the life of one at a glance, and its screen at any moment of it. */
import { describe, expect, test } from "bun:test";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import type { Result } from "../../src/protocol/methods/table.schema.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "./household.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { formatScreen } from "../../src/terminal/screen/screen-formats.ts";

type Activity = Result<"session.activity">["sessions"][number];

async function activityOf(client: DaemonClient, id: string): Promise<Activity | undefined> {
  const { sessions } = await client.call("session.activity", {});
  return sessions.find(({ session_id }) => session_id === id);
}

describe("session.activity", () => {
  test("tells of each that lives whether it waits for somebody: a line, a password, the next command, or nobody", async () => {
    await withDaemon(async (client) => {
      const start = (session_id: string, ...argv: string[]) => client.call("session.start", { session_id, argv });
      await start("line", "sh", "-c", "echo what now; read x");
      await start("password", "bash", "-c", "read -rsp 'password: ' x");
      await start("prompt", "bash", "--norc");
      await start("busy", "sh", "-c", "echo at work; exec sleep 600");
      await start("over", "true");
      await client.call("session.wait", { session_id: "over", until: ["exit"] });
      const expected: Record<string, Activity["waiting"]> = {
        line: "reading",
        password: "echo_off",
        prompt: "prompt",
        busy: null,
      };
      for (const [id, waiting] of Object.entries(expected))
        await until(`${id} is ${waiting}`, async () => {
          const now = await activityOf(client, id);
          return now?.waiting === waiting && now.last_line !== "";
        });
      expect(await activityOf(client, "over")).toBeUndefined();
      expect(await activityOf(client, "line")).toMatchObject({ last_line: "what now", clients: 0, output_bytes: 10 });
      expect(await activityOf(client, "password")).toMatchObject({ last_line: "password:" });
    });
  });

  /** The leader of its terminal, which is holt's own, was one of them. */
  test("counts its processes, their processor time and memory, also of those in the background", async () => {
    await withDaemon(async (client) => {
      const script = "sleep 600 & setsid sleep 600 & i=0; while :; do i=$((i+1)); done";
      await client.call("session.start", { session_id: "three", argv: ["sh", "-c", script] });
      await until("three run", async () => (await activityOf(client, "three"))?.processes === 3);
      const before = await activityOf(client, "three");
      expect(before?.memory_bytes).toBeGreaterThan(100_000);
      await until("it has used more", async () => {
        const now = await activityOf(client, "three");
        return (now?.cpu_ms ?? 0) > (before?.cpu_ms ?? 0);
      });
      await client.call("session.start", { session_id: "piped", argv: ["sleep", "600"], pty: false });
      expect(await activityOf(client, "piped")).toMatchObject({ processes: 1, waiting: null });
    });
  });
});

describe("session.timeline", () => {
  /** What was read after the session's end lay past the end of its life. */
  test("says how much was printed when, all of it once, and marks commands, resizes and the end", async () => {
    await withDaemon(async (client) => {
      const session_id = "life";
      await client.call("session.start", { session_id, argv: ["bash", "--norc"], env: { PS1: "$ " } });
      await client.call("session.exec", { session_id, command: "seq 1000" });
      await client.call("session.resize", { session_id, cols: 90, rows: 20 });
      await client.call("session.exec", { session_id, command: "false" });
      const living = await client.call("session.timeline", { session_id });
      expect(living.is_over).toBe(false);
      expect(living.marks.map(({ kind }) => kind)).not.toContain("exit");
      await client.call("session.send", { session_id, text: "exit 3\r" });
      await client.call("session.wait", { session_id, until: ["exit"] });

      const { output_bytes } = await client.call("session.get", { session_id });
      for (const buckets of [1, 7, 200, 2000]) {
        const life = await client.call("session.timeline", { session_id, buckets });
        expect(life.buckets.length).toBeLessThanOrEqual(buckets);
        expect(life.buckets.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(output_bytes);
        const cursors = life.buckets.map(({ cursor }) => Number(cursor));
        expect(cursors).toEqual(cursors.toSorted((a, b) => a - b));
        expect(life).toMatchObject({ is_over: true, end: String(output_bytes) });
      }
      const { marks, starts_at, ends_at } = await client.call("session.timeline", { session_id });
      const times = marks.map(({ at }) => Date.parse(at));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse(starts_at));
      expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(ends_at));
      const commands = marks.filter(({ kind }) => kind === "command");
      expect(commands.map(({ text, exit_code }) => [text, exit_code])).toEqual([
        ["seq 1000", 0],
        ["false", 1],
        ["exit 3", null],
      ]);
      expect(marks.find(({ kind }) => kind === "resize")).toMatchObject({ text: "90×20" });
      expect(marks.at(-1)).toMatchObject({ kind: "exit", text: "exited 3", cursor: String(output_bytes) });
    });
  });

  test("of one that printed nothing has no buckets, and still an end", async () => {
    await withDaemon(async (client) => {
      await client.call("session.start", { session_id: "mute", argv: ["true"] });
      await client.call("session.wait", { session_id: "mute", until: ["exit"] });
      const life = await client.call("session.timeline", { session_id: "mute", buckets: 1 });
      expect(life).toMatchObject({ is_over: true, end: "0", buckets: [], marks: [{ kind: "exit", text: "exited 0" }] });
    });
  });
});

describe("session.replay", () => {
  test("rebuilds the screen in a fresh terminal, as it is and as it was at any cursor", async () => {
    await withDaemon(async (client) => {
      const session_id = "drawn";
      const script = String.raw`printf 'one\ntwo \033[31mred\033[m\n'; printf '\033[?1049h\033[2J\033[5;10Hin the middle'; read x; printf '\033[?1049lback'; exec cat`;
      await client.call("session.start", { session_id, argv: ["sh", "-c", script], pty: { cols: 40, rows: 10 } });
      const match = { session_id, cursor: "0" };
      await client.call("session.wait", { ...match, until: [{ match: "middle" }] });
      const inside = await client.call("session.replay", { session_id });
      expect(inside).toMatchObject({ cols: 40, rows: 10, alternate_screen: true });
      await client.call("session.send", { session_id, text: "\r" });
      await client.call("session.wait", { ...match, until: [{ match: "back" }] });
      for (const cursor of [undefined, inside.cursor, "9", "0"]) {
        const at = cursor === undefined ? {} : { cursor };
        const { content } = await client.call("session.screen", { session_id, ...at });
        const replay = await client.call("session.replay", { session_id, ...at });
        expect([cursor, rebuilt(replay)]).toEqual([cursor, content]);
      }
      const { data } = await client.call("session.replay", { session_id, cursor: inside.cursor, scrollback: 100 });
      expect(data).not.toBe("");
    });
  });
});

/** What a terminal shows that was fed nothing else. */
function rebuilt({ cols, rows, data }: Result<"session.replay">): string {
  using terminal = new Emulator({ cols, rows });
  terminal.write(Uint8Array.fromBase64(data));
  return formatScreen(terminal.screen(), "text");
}
