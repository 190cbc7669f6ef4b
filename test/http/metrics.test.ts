/** What Prometheus scrapes: its text format, in full, and counts that move. */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { until } from "../chaos/size.ts";
import { HttpPlace } from "./http-place.ts";
import { freePort, logOf, ServedBench } from "./served.ts";

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.eE+-]+|[+-]Inf|NaN)$`);
const LABELS = /^(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"(?:,|$))*$/;

interface Family {
  type: string;
  help: string;
  samples: Map<string, number>;
}

/** By the rules of the text format, version 0.0.4: each family once, its HELP and TYPE first, its samples together, none twice. */
function families(text: string): Map<string, Family> {
  expect(text.endsWith("\n")).toBe(true);
  const found = new Map<string, Family>();
  let help: [string, string] | null = null;
  let name = "";
  for (const line of text.trimEnd().split("\n")) {
    const [, comment, about = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (comment === "HELP") help = [about, rest];
    else if (comment === "TYPE") {
      expect(help?.[0]).toBe(about);
      expect(["counter", "gauge", "histogram"]).toContain(rest);
      expect(found.has(about)).toBe(false);
      name = about;
      found.set(name, { type: rest, help: help?.[1] ?? "", samples: new Map() });
    } else {
      const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
      const family = found.get(name);
      const own = family?.type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
      expect([line, own]).toEqual([line, expect.arrayContaining([sample])]);
      expect(labels).toMatch(LABELS);
      const key = `${sample}{${labels}}`;
      expect(family?.samples.has(key)).toBe(false);
      family?.samples.set(key, Number(value.replace("Inf", "Infinity")));
    }
  }
  return found;
}

function expectHistogram({ samples }: Family, method: string): void {
  const name = "holt_call_duration_seconds";
  const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket{method="${method}"`));
  expect(buckets.length).toBeGreaterThan(3);
  const counts = buckets.map(([, count]) => count);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(buckets.at(-1)?.[0]).toContain('le="+Inf"');
  expect(buckets.at(-1)?.[1]).toBe(samples.get(`${name}_count{method="${method}"}`) ?? Number.NaN);
}

test("/metrics is valid, and what happens is counted: calls, failures, durations, sessions.", async () => {
  await using served = await ServedBench.open();
  const { http } = served;
  const scrape = async () => {
    const told = await http.ask("/metrics");
    expect(told.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return { text: told.text, all: families(told.text) };
  };
  const before = (await scrape()).all;
  const value = (all: Map<string, Family>, family: string, labels = "") =>
    all.get(family)?.samples.get(`${family}{${labels}}`) ?? 0;
  expect(value(before, "holt_info", 'version="0.1.0"')).toBe(1);
  const secret = "hunter2-very-secret";
  const argv = ["sh", "-c", `echo ${secret}; exec sleep 60`];
  const env = { PASSWORD: secret };
  await http.post("/api/v1/session/start", { session_id: "counted", name: secret, argv, env });
  await http.post("/api/v1/session/wait", { session_id: "counted", cursor: "0", until: [{ match: secret }] });
  for (let i = 0; i < 3; i++) await http.post("/api/v1/session/get", { session_id: "nosuch" });
  using _rpc = await unknownMethod(http, secret);

  const { all, text } = await scrape();
  const method = (name: string): string => `method="${name}"`;
  expect(value(all, "holt_calls_total", method("session.get"))).toBe(3);
  expect(value(all, "holt_call_failures_total", `${method("session.get")},code="ENOTFOUND"`)).toBe(3);
  expect(value(all, "holt_calls_total", method("session.start"))).toBe(1);
  expect(value(all, "holt_sessions", 'state="running"')).toBe(value(before, "holt_sessions", 'state="running"') + 1);
  expect(value(all, "holt_living_output_bytes")).toBeGreaterThan(0);
  expect(value(all, "holt_web_sockets")).toBe(1);
  expect(value(all, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
  expect(value(all, "process_cpu_seconds_total")).toBeGreaterThan(value(before, "process_cpu_seconds_total"));
  for (const name of ["session.get", "session.start"])
    expectHistogram(all.get("holt_call_duration_seconds") ?? { type: "", help: "", samples: new Map() }, name);
  for (const { help } of all.values()) expect(help).not.toBe("");
  for (const hidden of [secret, http.token, "counted", served.bench.root]) expect(text).not.toContain(hidden);
});

/** Found in review: how far anybody lags was nowhere, who is attached was not told, and what was printed was forgotten with its session. */
describe("/metrics", () => {
  const valueIn = async (http: HttpPlace, key: string): Promise<number> => {
    const [name = ""] = key.split("{");
    const sample = key.includes("{") ? key : `${key}{}`;
    return (
      families((await http.ask("/metrics")).text)
        .get(name)
        ?.samples.get(sample) ?? Number.NaN
    );
  };

  test("tells who is attached by which way, and how far they lag", async () => {
    await using served = await ServedBench.open();
    const { http, bench } = served;
    const transport = (name: string, way: string): string => `${name}{transport="${way}"}`;
    const isSo = (key: string, check: (value: number) => boolean) =>
      until(key, async () => check(await valueIn(http, key)));
    const argv = ["sh", "-c", "stty -echo; read x; head -c 20000000 /dev/zero | tr '\\0' x; exec cat"];
    await http.post("/api/v1/session/start", { session_id: "shown", argv, pty: { cols: 80, rows: 24 } });
    expect(await valueIn(http, transport("holt_attached_clients", "unix"))).toBe(0);
    const watcher = http.socket("/api/v1/pty/sessions/shown/attach");
    using client = await dial(bench);
    const { socket, opening } = await client.call("session.attach", { session_id: "shown", role: "viewer" });
    const frozen = connect(socket);
    frozen.write(Buffer.from(opening, "base64"));
    try {
      await isSo(transport("holt_attached_clients", "unix"), (count) => count === 1);
      await isSo(transport("holt_attached_clients", "websocket"), (count) => count === 1);
      expect(await valueIn(http, transport("holt_client_lag_bytes", "unix"))).toBe(0);
      await http.post("/api/v1/sessions/shown/input", { text: "\r" });
      // It reads nothing: all but what is on the way is still to come.
      await isSo(transport("holt_client_lag_bytes", "unix"), (bytes) => bytes > 5_000_000);
      await isSo(transport("holt_client_lag_bytes_max", "unix"), (bytes) => bytes > 5_000_000);
      await isSo(transport("holt_client_lag_bytes", "websocket"), (bytes) => bytes === 0);
    } finally {
      frozen.destroy();
      watcher.close();
    }
    await isSo(transport("holt_attached_clients", "unix"), (count) => count === 0);
  });

  test("counts what was printed, also by what came and went, and never less", async () => {
    await using served = await ServedBench.open();
    const { http } = served;
    const total = (): Promise<number> => valueIn(http, "holt_output_bytes_total");
    const before = await total();
    for (const session_id of ["a", "b"]) {
      await http.post("/api/v1/exec/run", { session_id, args: ["head", "-c", "1000", "/dev/zero"] });
      await http.post("/api/v1/session/remove", { session_id });
    }
    await until("both are counted", async () => (await total()) - before === 2000);
    await http.post("/api/v1/session/start", {
      session_id: "c",
      argv: ["sh", "-c", "printf 12345; exec cat"],
      pty: false,
    });
    await until("what lives is counted", async () => (await total()) - before === 2005);
    await http.post("/api/v1/session/kill", { session_id: "c" });
    await until("it has ended", async () => (await valueIn(http, "holt_living_output_bytes")) === 0);
    expect((await total()) - before).toBe(2005);
  });

  test("comes in time, whatever holders do: those that are silent are counted as such", async () => {
    await using served = await ServedBench.open();
    const { http, bench } = served;
    const ids = Array.from({ length: 40 }, (_, number) => `s${number}`);
    for (const session_id of ids) await http.post("/api/v1/session/start", { session_id, argv: ["cat"] });
    const pids = ids.map((id) => bench.meta(id).holder.pid);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    try {
      const began = performance.now();
      expect(await valueIn(http, "holt_silent_holders")).toBe(40);
      expect(performance.now() - began).toBeLessThan(8000); // a second for all of them, and two to see who answers; the machine is shared
    } finally {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    }
    await until("they are back", async () => (await valueIn(http, "holt_silent_holders")) === 0);
  });
});

/** An open WebSocket on which a method was asked for that there is not: its name is nobody's. */
async function unknownMethod(http: HttpPlace, name: string): Promise<Disposable> {
  const socket = http.socket("/api/v1/rpc");
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: name })));
    socket.addEventListener("message", () => resolve());
    socket.addEventListener("error", () => reject(new Error("no connection")));
  });
  return { [Symbol.dispose]: () => socket.close() };
}

describe("metrics.listen", () => {
  test("serves them to a scraper without a token, and nothing else", async () => {
    const port = await freePort();
    using bench = Bench.withDaemon();
    configure(bench, `metrics.listen = "127.0.0.1:${port}"\n`);
    await bench.run(["daemon"]);
    try {
      const place = new HttpPlace(`http://127.0.0.1:${port}`, "");
      await until("it is served", () => logOf(bench).includes("metrics are served"));
      const told = await place.ask("/metrics", { token: null });
      expect(told.status).toBe(200);
      expect(families(told.text).has("holt_sessions")).toBe(true);
      for (const path of ["/", "/api/v1/session/list", "/healthz", "/mcp", "/metrics/x"])
        expect([path, (await place.ask(path, { token: null })).status]).toEqual([path, 404]);
      expect(await place.ask("/metrics", { method: "POST" })).toMatchObject({ status: 405 });
      expect(await place.ask("/metrics", { headers: { host: "evil.example" } })).toMatchObject({ status: 403 });
      expect(await place.ask("/metrics", { headers: { origin: "http://evil.example" } })).toMatchObject({
        status: 403,
        body: { error: { code: "EDENIED" } },
      });
    } finally {
      await end(bench);
    }
  });

  test("is refused at an address that others can reach, unless that is said to be meant", async () => {
    using bench = Bench.withDaemon();
    configure(bench, 'metrics.listen = "0.0.0.0:0"\n');
    await bench.run(["daemon"]);
    try {
      const why = "metrics.listen is not a loopback address: 0.0.0.0";
      await until("it is told in the log", () => logOf(bench).includes(why));
    } finally {
      await end(bench);
    }
  });
});
