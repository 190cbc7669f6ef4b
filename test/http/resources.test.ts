/** The seeds' resources, in the seeds' spelling: terminals that are created, attached to and ended, and what is typed or run in a session. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import type { HttpPlace } from "./http-place.ts";
import { ServedBench, servedThroughout } from "./served.ts";

const TERMINALS = "/api/v1/pty/sessions";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Terminal {
  id: string;
  token: string;
  pid: number;
  cols: number;
  rows: number;
  createdAt: string;
  state: string;
  exitCode: number | null;
}

async function create(http: HttpPlace, body: object): Promise<Terminal> {
  const told = await http.post(TERMINALS, body);
  expect(told).toMatchObject({ status: 201 });
  return told.body.data as Terminal;
}

async function ended(http: HttpPlace, session_id: string): Promise<void> {
  await http.post("/api/v1/session/wait", { session_id, until: ["exit"] });
}

/** What it has printed so far. */
async function printed(http: HttpPlace, session_id: string): Promise<string> {
  const { body } = await http.post("/api/v1/session/read", { session_id });
  const { chunks } = body.data as { chunks: { data: string }[] };
  return Buffer.concat(chunks.map(({ data }) => Buffer.from(data, "base64"))).toString();
}

describe("A terminal", () => {
  const served = servedThroughout();

  test("is created as the seed says: 201, its id, token, pid, size and time", async () => {
    const cwd = served.bench.root;
    const cmd = ["/bin/sh", "-c", "echo $WORD $TERM $PWD; stty size; exec cat"];
    const env = { TERM: "xterm-256color", WORD: "hello" };
    const made = await create(served.http, { cmd, env, cwd, cols: 100, rows: 40, name: "build-shell" });
    expect(made).toEqual({
      id: expect.stringMatching(/^[a-z0-9]+$/),
      token: expect.stringMatching(/^[\w-]{43}$/), // 256 bits
      pid: expect.any(Number),
      cols: 100,
      rows: 40,
      name: "build-shell",
      cmd,
      state: "running",
      exitCode: null,
      createdAt: expect.stringMatching(TIME),
    } as unknown as Terminal);
    process.kill(made.pid, 0);
    await served.http.post("/api/v1/session/wait", { session_id: made.id, cursor: "0", until: [{ match: "40 100" }] });
    expect(await printed(served.http, made.id)).toBe(`hello xterm-256color ${cwd}\r\n40 100\r\n`);

    const listed = await served.http.ask(TERMINALS);
    expect(listed).toMatchObject({ status: 200, body: { apiVersion: "1.0" } });
    const { token: _, ...shown } = made;
    expect(listed.body.data).toEqual([shown]);
    expect((await served.http.ask(`${TERMINALS}/${made.id}`)).body.data).toEqual(shown);
    expect(listed.text).not.toContain(made.token);
  });

  test("without any wish is the shell, 120 by 30, and ends after 15 minutes without output and input", async () => {
    const made = await create(served.http, {});
    expect(made).toMatchObject({ cols: 120, rows: 30, cmd: [expect.stringMatching(/^\/.*sh$/)] });
    expect(served.bench.meta(made.id).idle_timeout_ms).toBe(900_000);
    await served.http.ask(`${TERMINALS}/${made.id}`, { method: "DELETE" });
  });

  /** A program opened terminals at /pty/open and /session/start and crashed: its shells lived on for weeks, where those of /pty/sessions ended after 15 minutes. /pty did not take another timeout, as the docs promised. */
  test.each([
    ["pty/open", { argv: ["cat"] }, 900_000],
    ["pty/open", { argv: ["cat"], idle_timeout_ms: 5_000_000 }, 5_000_000],
    ["pty/open", { argv: ["cat"], idle_timeout_ms: null }, null],
    ["pty/sessions", { cmd: ["cat"], idle_timeout_ms: 5_000_000 }, 5_000_000],
    ["pty/sessions", { cmd: ["cat"], idle_timeout_ms: null }, null],
    ["session/start", { argv: ["cat"] }, 900_000],
    ["session/start", { argv: ["cat"], pty: { rows: 24, cols: 80 } }, 900_000],
    ["session/start", { argv: ["cat"], idle_timeout_ms: 5_000_000 }, 5_000_000],
    ["session/start", { argv: ["cat"], idle_timeout_ms: null }, null],
    ["session/start", { argv: ["cat"], pty: false }, null],
  ])("started at /%s as %j has the idle timeout %p", async (route, body, expected) => {
    const { data } = (await served.http.post(`/api/v1/${route}`, body)).body;
    const id: string = data.id ?? data.session_id;
    expect(served.bench.meta(id).idle_timeout_ms).toBe(expected);
    await served.http.post("/api/v1/session/kill", { session_id: id });
  });

  test("refuses what it does not know, and what cannot be", async () => {
    for (const body of [
      { command: ["sh"] },
      { cmd: "sh" },
      { cmd: [] },
      { cols: 0 },
      { cols: 1, rows: "2" },
      { env: ["A"] },
      { session_id: "x" },
      { cwd: 1 },
    ])
      expect([body, await served.http.post(TERMINALS, body)]).toMatchObject([
        body,
        { status: 400, body: { error: { code: "EBADARGS" } } },
      ]);
    expect(await served.http.post(TERMINALS, { cmd: "sh" })).toMatchObject({
      body: { error: { message: 'cmd: got "sh", expected a list of texts' } },
    });
    expect(await served.http.post(TERMINALS, { cmd: ["/no/such"] })).toMatchObject({ status: 404 });
    expect(await served.http.post(TERMINALS, { cmd: ["true"], cwd: "/no/such" })).toMatchObject({ status: 404 });
  });

  test("is ended by DELETE, can be looked at after it, and lets go what it left", async () => {
    const made = await create(served.http, { cmd: ["sh", "-c", "echo ready; exec sleep 600"] });
    const told = await served.http.ask(`${TERMINALS}/${made.id}`, { method: "DELETE" });
    expect(told).toMatchObject({ status: 200, body: { data: { id: made.id, state: "signaled", pid: made.pid } } });
    expect((await served.http.ask(TERMINALS)).text).not.toContain(made.id);
    expect(await served.http.ask(`${TERMINALS}/${made.id}`)).toMatchObject({ body: { data: { state: "signaled" } } });
    expect(await served.http.ask(`${TERMINALS}/${made.id}`, { method: "DELETE" })).toMatchObject({ status: 200 });
    expect(await served.http.ask(`${TERMINALS}/nosuch`, { method: "DELETE" })).toMatchObject({
      status: 404,
      body: { error: { code: "ENOTFOUND", message: "session not found: nosuch" } },
    });
    expect(await served.http.ask(`${TERMINALS}/nosuch`)).toMatchObject({ status: 404 });
  });

  test("that ends at once has its exit code and output for whoever looks later", async () => {
    const made = await create(served.http, { cmd: ["sh", "-c", "echo bye; exit 7"] });
    await ended(served.http, made.id);
    expect((await served.http.ask(`${TERMINALS}/${made.id}`)).body.data).toMatchObject({
      state: "exited",
      exitCode: 7,
    });
    expect(await printed(served.http, made.id)).toBe("bye\r\n");
  });

  test("is its token's alone: it opens that one, and says so of others", async () => {
    const [one, other] = [await create(served.http, { cmd: ["cat"] }), await create(served.http, { cmd: ["cat"] })];
    const input = (id: string, token: string) =>
      served.http.post(`/api/v1/sessions/${id}/input`, { text: "x\r" }, { token });
    expect(await input(one.id, one.token)).toMatchObject({ status: 200, body: { data: { bytes_written: 2 } } });
    expect(await input(other.id, one.token)).toMatchObject({ status: 403, body: { error: { code: "EDENIED" } } });
    expect(await served.http.ask(`${TERMINALS}/${one.id}`, { token: one.token })).toMatchObject({ status: 200 });
    expect(await served.http.ask(`${TERMINALS}/${other.id}`, { token: one.token })).toMatchObject({ status: 403 });
    expect(await served.http.ask(TERMINALS, { token: one.token })).toMatchObject({ status: 403 });
    expect(await served.http.post(TERMINALS, {}, { token: one.token })).toMatchObject({ status: 403 });
    for (const { id } of [one, other]) await served.http.ask(`${TERMINALS}/${id}`, { method: "DELETE" });
  });

  test("tells a WebSocket at /stream what it prints, from a cursor on, and how it ended", async () => {
    const made = await create(served.http, { cmd: ["sh", "-c", "echo one; read x; echo two $x; exit 4"] });
    const heard = await streamed(served.http, `/api/v1/sessions/${made.id}/stream`, async (text) => {
      if (text.endsWith("one\r\n"))
        await served.http.post(`/api/v1/sessions/${made.id}/input`, { text: "and a half\r" });
    });
    expect(heard.text).toBe("one\r\nand a half\r\ntwo and a half\r\n");
    expect(heard.last).toMatchObject({ type: "exit", code: 4, state: "exited", cursor: String(heard.text.length) });
    expect(heard.cursors).toEqual(heard.cursors.toSorted((a, b) => a - b));
    const again = await streamed(served.http, `/api/v1/sessions/${made.id}/stream?cursor=5`);
    expect(again.text).toBe("and a half\r\ntwo and a half\r\n");
  });
});

interface Heard {
  text: string;
  cursors: number[];
  last: Record<string, unknown>;
}

async function streamed(http: HttpPlace, path: string, heard = async (_text: string) => {}): Promise<Heard> {
  const socket = http.socket(path);
  const { promise, resolve, reject } = Promise.withResolvers<Heard>();
  let text = "";
  const cursors: number[] = [];
  let last: Record<string, unknown> = {};
  socket.addEventListener("message", ({ data }) => {
    last = JSON.parse(String(data)) as Record<string, unknown>;
    if (last["type"] !== "output") return;
    text += Buffer.from(String(last["data"]), "base64").toString();
    cursors.push(Number(last["cursor"]));
    heard(text).catch(reject);
  });
  socket.addEventListener("error", () => reject(new Error("no stream")));
  socket.addEventListener("close", () => resolve({ text, cursors, last }));
  return promise;
}

describe("A shell", () => {
  test("runs a command at /exec, and returns the number to get its result", async () => {
    await using served = await ServedBench.open();
    const { http } = served;
    const { id } = await create(http, { cmd: ["bash", "--norc"], env: { PS1: "$ " } });
    const exec = async (command: string) => (await http.post(`/api/v1/sessions/${id}/exec`, { command })).body.data;
    const first = (await exec("cd /etc; echo in $PWD")) as Record<string, unknown>;
    expect(first).toMatchObject({ exec_id: 1, exit_code: 0, text: "in /etc\n", cwd: "/etc" });
    const second = (await exec("pwd; false")) as Record<string, unknown>;
    expect(second).toMatchObject({ exec_id: 2, exit_code: 1, text: "/etc\n" });
    const found = await http.ask(`/api/v1/sessions/${id}/executions/2`);
    expect(found).toMatchObject({
      status: 200,
      body: { data: { exec_id: 2, command: "pwd; false", exit_code: 1, by: "exec" } },
    });
    expect(await http.ask(`/api/v1/sessions/${id}/executions/99`)).toMatchObject({
      status: 404,
      body: { error: { code: "ENOTFOUND", message: `command not found: 99 in session ${id}` } },
    });
    expect(await http.ask("/api/v1/sessions/nosuch/executions/1")).toMatchObject({ status: 404 });
    expect(await http.post("/api/v1/sessions/nosuch/exec", { command: "true" })).toMatchObject({ status: 404 });
    expect(await http.post(`/api/v1/sessions/${id}/exec`, {})).toMatchObject({ status: 400 });
  });
});

describe("The configuration", () => {
  test("says after how long without output and input a terminal ends; each of them counts", async () => {
    await using served = await ServedBench.open("pty.idle_ttl_seconds = 2\n");
    const { http } = served;
    const [{ id: talking }, { id: typed }] = [
      await create(http, { cmd: ["sh", "-c", "for i in 1 2 3 4 5; do echo $i; sleep 0.5; done; echo done; exec cat"] }),
      await create(http, { cmd: ["sh", "-c", "stty -echo; echo ready; exec cat >/dev/null"] }),
    ];
    const began = performance.now();
    // What is typed is not echoed here: input alone keeps it.
    while (performance.now() - began < 2500) {
      expect(await http.post(`/api/v1/sessions/${typed}/input`, { text: "x\r" })).toMatchObject({ status: 200 });
      await Bun.sleep(250);
    }
    for (const id of [talking, typed]) {
      await ended(http, id);
      expect(served.bench.final(id)).toMatchObject({ reason: "idle_timeout" });
    }
    expect(await printed(http, talking)).toBe("1\r\n2\r\n3\r\n4\r\n5\r\ndone\r\n");
  });

  test("says how many sessions may live: more are put off with 429 and Retry-After", async () => {
    await using served = await ServedBench.open("http.max_sessions = 2\n");
    const { http } = served;
    const [{ id }] = [await create(http, { cmd: ["cat"] }), await create(http, { cmd: ["cat"] })];
    const told = await http.post(TERMINALS, { cmd: ["cat"] });
    expect(told).toMatchObject({
      status: 429,
      body: { error: { code: "ERLIMIT", hint: "stop one, or raise http.max_sessions" } },
    });
    expect(told.headers.get("retry-after")).toBe("5");
    await http.ask(`${TERMINALS}/${id}`, { method: "DELETE" });
    await until("its place is free", async () => (await http.post(TERMINALS, { cmd: ["cat"] })).status === 201);
  });

  test("says how often one token may ask: more is put off with 429 and Retry-After, and nobody else is", async () => {
    await using served = await ServedBench.open("http.rate = 3\n");
    const { http } = served;
    const { token } = await create(http, { cmd: ["cat"] });
    const told = await Promise.all(Array.from({ length: 12 }, () => http.post("/api/v1/session/list", {})));
    const late = told.find(({ status }) => status === 429);
    expect(late).toMatchObject({ body: { error: { code: "ERLIMIT", message: "too many requests" } } });
    expect(late?.headers.get("retry-after")).toBe("1");
    expect(told.some(({ status }) => status === 200)).toBe(true);
    expect(await http.post("/api/v1/session/list", {}, { token })).toMatchObject({ status: 403 }); // not 429
    await until("it may ask again", async () => (await http.post("/api/v1/session/list", {})).status === 200);
  });
});
