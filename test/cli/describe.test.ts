/** Descriptions of sessions, sizes and times in words. */
import { describe, expect, test } from "bun:test";
import { commandLine, describeState, stateInList, stateText } from "../../src/cli/output/describe-session.ts";
import { formatBytes, formatDuration, formatTime } from "../../src/cli/output/format.ts";
import { nearest } from "../../src/protocol/methods/nearest.ts";
import { sessionFields } from "../../src/cli/output/session-fields.ts";
import { identityOf, processStatus } from "../../src/platform/process/processes.ts";
import type { Session } from "../../src/protocol/types/session.ts";
import { finalOf, metaOf } from "../client/sessions.ts";

function session(fields: Partial<Session>): Session {
  const alive = { survivors: [], current_size: null, next_session_id: null, quiet: false, quiet_since: null };
  return { ...metaOf("k3f9q2"), ...finalOf("k3f9q2"), ...alive, ...fields };
}

describe("A state in words", () => {
  test.each<[Partial<Session>, string]>([
    [{ state: "starting", reason: null, exit_code: null }, "◌ starting"],
    [{ state: "running", reason: null, exit_code: null }, "● running"],
    [{ state: "exited", exit_code: 0 }, "✓ exited 0"],
    [{ state: "exited", exit_code: 3 }, "✗ exited 3"],
    [{ state: "signaled", exit_code: null, signal: "SIGKILL" }, "✗ signaled SIGKILL"],
    [{ state: "signaled", exit_code: null, signal: "SIGTERM", reason: "stop_requested" }, "■ signaled SIGTERM"],
    [{ state: "failed", exit_code: null, reason: "holder_lost" }, "✗ failed holder_lost"],
  ])("%j", (fields, expected) => {
    const { sign, words } = describeState(session(fields));
    expect(`${sign} ${words}`).toBe(expected);
  });
});

describe("A command that is started again", () => {
  const restart = {
    when: "always",
    max_restarts: null,
    delay_ms: 1000,
    count: 3,
    in_a_row: 3,
    starts_at: new Date(Date.now() + 90_500).toISOString(),
  } as const;

  test("shows the time of the next restart, and in a list the number of restarts.", () => {
    const waiting = session({ state: "starting", reason: null, exit_code: null, restart });
    expect(describeState(waiting).words).toBe("restarting");
    expect(stateText(waiting).text).toBe("◌ restarts in 1m");
    const running = session({ state: "running", reason: null, exit_code: null, process: null, restart });
    expect(stateInList(running).text).toBe("● running ↻3");
    expect(stateInList({ ...running, restart: { ...restart, count: 0 } }).text).toBe("● running");
  });

  test("has not failed if it was stopped during the delay.", () => {
    const ended = session({ state: "failed", reason: "stop_requested", exit_code: null, restart });
    expect(stateText(ended)).toEqual({ text: "■ not started again", look: "plain" });
    expect(stateText({ ...ended, reason: "holder_lost" }).text).toBe("✗ failed, holder lost");
  });
});

describe("The state on a terminal", () => {
  test("A list shows a timeout instead of the signal; other output shows the signal.", () => {
    const late = session({ state: "signaled", exit_code: null, signal: "SIGTERM", reason: "timeout" });
    expect(stateInList(late)).toEqual({ text: "✗ timeout", look: "bad" });
    expect(stateInList({ ...late, reason: "idle_timeout" }).text).toBe("✗ idle timeout");
    expect(stateText(late).text).toBe("✗ signaled SIGTERM");
    expect(stateInList({ ...late, reason: "completed" }).text).toBe("✗ signaled SIGTERM");
  });

  test("A suspended command is shown as stopped, if it is still the same process.", async () => {
    const command = Bun.spawn(["sh", "-c", "kill -STOP $$"]);
    const deadline = performance.now() + 20_000;
    while (processStatus(command.pid)?.state !== "T" && performance.now() < deadline) await Bun.sleep(2);
    const identity = identityOf(command.pid);
    const running = session({ state: "running", reason: null, exit_code: null, process: identity });
    const stopped = stateText(running);
    const another = stateText({ ...running, process: { ...identity, start_time: 1 } });
    command.kill("SIGKILL");
    await command.exited;
    expect(stopped).toEqual({ text: "‖ stopped", look: "warn" });
    expect(another.text).toBe("● running");
  });
});

describe("A command in words", () => {
  test("The command can be pasted into a shell and contains no escape sequence.", () => {
    expect(commandLine(["npm", "run", "dev"])).toBe("npm run dev");
    expect(commandLine(["sh", "-c", "echo it's; exit 3"])).toBe(String.raw`sh -c 'echo it'\''s; exit 3'`);
    expect(commandLine(["echo", ""])).toBe("echo ''");
  });

  /** A command shown for approval erased itself from the line and wrote another one there. */
  test("Control and invisible characters are escaped, and a shell reads the same word.", async () => {
    const hidden = "touch it's #\x1b[2K\x1b[1Ggit\r\n\tx\x07\b\u202ea\u200b\x85\\";
    const line = commandLine(["printf", "%s", hidden]);
    expect(line).toBe(String.raw`printf %s $'touch it\'s #\e[2K\e[1Ggit\r\n\tx\x07\x08\u202ea\u200b\u0085\\'`);
    expect(await new Response(Bun.spawn(["bash", "-c", line], { env: { LC_ALL: "C.UTF-8" } }).stdout).text()).toBe(
      hidden,
    );
  });
});

describe("Figures", () => {
  test("Bytes", () => {
    expect([0, 1023, 1024, 1536, 10 * 1024 ** 2, 300 * 1024 ** 2, 1024 ** 3, 1024 ** 2 - 1].map(formatBytes)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 KiB",
      "10.0 MiB",
      "300 MiB",
      "1.0 GiB",
      "1.0 MiB",
    ]);
  });

  test("Durations", () => {
    expect([0, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000, 200_000_000].map(formatDuration)).toEqual([
      "0 ms",
      "999 ms",
      "1.0 s",
      "59.9 s",
      "1 min",
      "59 min 59 s",
      "1 h",
      "25 h",
      "2 days 7 h",
    ]);
  });

  test("Times are local, with the distance from now.", () => {
    const now = Date.now();
    expect(formatTime(new Date(now - 120_000).toISOString(), now)).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(2m ago\)$/,
    );
    expect(formatTime(new Date(now + 7_200_000).toISOString(), now)).toEndWith("(in 2h)");
  });
});

describe("The fields of a session", () => {
  const now = Date.parse("2026-01-02T00:00:00.000Z");
  const ended = session({
    name: "web\x1b[2J",
    cwd: "/home/ada/src",
    ended_at: "2026-01-01T23:00:00.000Z",
    retention_seconds: 7200,
    output_bytes: 2048,
    truncated: true,
    output_complete: false,
    survivors: [12, 13],
    size: { cols: 100, rows: 50, width: 0, height: 0 },
    current_size: { cols: 80, rows: 24 },
    transport_mode: "posix-pty",
    error: { code: "ENOSPC", message: "disk\nfull" },
  });

  test("Without a terminal: exact and escaped.", () => {
    const fields = Object.fromEntries(sessionFields(ended, { tty: false, now, home: "/home/ada" }));
    expect(fields).toMatchObject({
      id: "k3f9q2",
      name: "web",
      state: "exited 0",
      reason: "completed",
      error: "ENOSPC: disk full",
      directory: "/home/ada/src",
      ended: "2026-01-01T23:00:00.000Z",
      duration: "12 ms",
      cpu: "3 ms",
      memory: "4194304",
      transport: "posix-pty 80×24",
      output: "2048, truncated, not drained to the end",
      kept: "until 2026-01-02T01:00:00.000Z",
      survivors: "12 13",
    });
    expect(Object.keys(fields)).not.toContain("socket");
  });

  test("On a terminal: rounded, with paths relative to the home directory.", () => {
    const fields = Object.fromEntries(sessionFields(ended, { tty: true, now, home: "/home/ada" }));
    expect(fields).toMatchObject({
      state: "✓ exited 0",
      directory: "~/src",
      memory: "4.0 MiB",
      output: "2.0 KiB, truncated, not drained to the end",
    });
    expect(fields["kept"]).toEndWith("(in 1h)");
    const running = session({
      state: "running",
      ended_at: null,
      duration_ms: null,
      started_at: "2026-01-01T23:58:00.000Z",
    });
    expect(Object.fromEntries(sessionFields(running, { tty: true, now, home: null }))).toMatchObject({
      duration: "2 min",
      kept: "24 h after its end",
    });
  });
});

/**
 * A holder that was killed at once showed "duration 0 ms", as if that were known; its command may
 * have run on for hours.
 */
test("The end of a lost session is marked as the last sign of its holder, on a terminal only.", () => {
  const now = Date.parse("2026-01-02T00:00:00.000Z");
  const lost = session({
    state: "failed",
    reason: "holder_lost",
    exit_code: null,
    ended_at: "2026-01-01T23:58:00.000Z",
    duration_ms: 0,
  });
  const fields = (tty: boolean) => Object.fromEntries(sessionFields(lost, { tty, now, home: null }));
  expect(fields(true)).toMatchObject({
    ended: expect.stringMatching(/ \(2m ago\): last sign of its holder, or when the loss was noticed$/),
    duration: "at least 0 ms",
  });
  expect(fields(false)).toMatchObject({ ended: "2026-01-01T23:58:00.000Z", duration: "0 ms" });
});

test("The most similar known word is suggested, or none.", () => {
  const known = ["run", "ls", "show", "logs", "completions"];
  expect(["lgos", "comp", "shwo", "rnu", "lst"].map((word) => nearest(word, known))).toEqual([
    "logs",
    "completions",
    "show",
    "run",
    "ls",
  ]);
  expect(nearest("cmd", ["cwd", "command", "args"])).toBe("command"); // how one is called elsewhere
  expect(["x", "attach", "serve"].map((word) => nearest(word, known))).toEqual([null, null, null]);
});
