/** What a command finds in its environment: what it needs, what it was given, and nothing that the daemon happens to have. */
import { expect, test } from "bun:test";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

const SYSTEM = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  LC_COLLATE: "C",
  TZ: "Europe/Vienna",
  SHELL: "/bin/sh",
  HTTPS_PROXY: "http://proxy.test:3128",
};

/** The daemon's own, as it was given to it. */
async function withDaemonIn(env: Record<string, string>, work: (client: DaemonClient) => Promise<void>): Promise<void> {
  using bench = Bench.withDaemon();
  const { HOLT_STATE_DIR = "" } = bench.env;
  for (const key of Object.keys(bench.env)) delete bench.env[key];
  Object.assign(bench.env, { HOLT_STATE_DIR, ...env });
  await bench.run(["daemon"]);
  try {
    using client = await DaemonClient.dial(layoutAt(bench.state));
    if (client === null) throw new Error("no daemon listens");
    await work(client);
  } finally {
    await end(bench);
  }
}

async function variablesOf(
  client: DaemonClient,
  params: Omit<Parameters<typeof client.call<"exec.run">>[1], "args">,
): Promise<Record<string, string>> {
  const { channels } = await client.call("exec.run", { args: ["/usr/bin/env", "-0"], ...params });
  return parsed(channels["stdout"] ?? "");
}

function parsed(text: string): Record<string, string> {
  const entries = text.split("\0").filter((entry) => entry !== "");
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

const HINTS = { CI: "true", TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" };
const HAPPENSTANCE = { AWS_SECRET_ACCESS_KEY: "hunter2", EDITOR: "vim", SSH_AUTH_SOCK: "/tmp/agent", LD_PRELOAD: "" };

test("project: what every command needs, hints that nobody looks on, and what it is given", async () => {
  await withDaemonIn({ ...SYSTEM, ...HAPPENSTANCE }, async (client) => {
    const { HOLT_SESSION_ID, ...rest } = await variablesOf(client, { env: { MINE: "1" } });
    expect(HOLT_SESSION_ID).toMatch(/^[a-z0-9]{12}$/);
    expect(rest).toEqual({ ...SYSTEM, ...HINTS, MINE: "1" });
  });
});

test("project: what is given comes before what the system and the hints say, and null takes away", async () => {
  await withDaemonIn(SYSTEM, async (client) => {
    const given = await variablesOf(client, { env: { TERM: "xterm", CI: null, HOME: "/", TZ: null, PAGER: "" } });
    expect(given).toMatchObject({ TERM: "xterm", HOME: "/", PAGER: "", NO_COLOR: "1" });
    expect("CI" in given || "TZ" in given).toBe(false);
  });
});

test("clean and inherit: nothing but what is given", async () => {
  await withDaemonIn({ ...SYSTEM, ...HAPPENSTANCE }, async (client) => {
    for (const env_mode of ["clean", "inherit"] as const) {
      const { HOLT_SESSION_ID, ...rest } = await variablesOf(client, { env: { A: "b" }, env_mode });
      expect({ isMarked: HOLT_SESSION_ID !== undefined, rest }).toEqual({ isMarked: true, rest: { A: "b" } });
    }
  });
});

test("on a terminal there is TERM, and no hint that there is none", async () => {
  await withDaemonIn(SYSTEM, async (client) => {
    for (const env_mode of ["clean", "project", "inherit"] as const) {
      const { session_id } = await client.call("session.start", { argv: ["/usr/bin/env", "-0"], env_mode });
      await client.call("session.wait", { session_id });
      const { channels } = await client.call("exec.output", { session_id });
      const { TERM, ...rest } = parsed(channels["pty"] ?? "");
      expect(TERM).toBe("xterm-256color");
      expect(Object.keys(HINTS).filter((key) => key in rest)).toEqual([]);
      expect("PATH" in rest).toBe(env_mode === "project");
    }
  });
});

test("a mark of another session is not handed on", async () => {
  await withDaemonIn(SYSTEM, async (client) => {
    const given = await variablesOf(client, { env: { HOLT_SESSION_ID: "other" } });
    expect(given["HOLT_SESSION_ID"]).not.toBe("other");
  });
});
