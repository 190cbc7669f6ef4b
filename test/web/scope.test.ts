/** What a key to one session opens: every method of the table, as a viewer and a driver, of that session and of another. */
import { describe, expect, test } from "bun:test";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import { httpRoute } from "../../src/protocol/methods/http-route.ts";
import { WEBSOCKET_ONLY } from "../../src/surfaces/http/routes.ts";
import { RESOURCES } from "../../src/surfaces/http/resources.ts";
import { until } from "../chaos/size.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { ECHO, type Served, sharedWeb } from "./served.ts";

const web = sharedWeb("http.rate = 100000");

/** Named one by one: that a new method opens with such a key is to be meant. */
const VIEWER = [
  "exec.output",
  "exec.status",
  "pty.read",
  "session.attach", // as a viewer
  "session.clients",
  "session.commands",
  "session.get",
  "session.read",
  "session.replay",
  "session.screen",
  "session.subscribe",
  "session.timeline",
  "session.unsubscribe",
  "session.wait",
];
const DRIVER = [
  ...VIEWER,
  "exec.cancel",
  "pty.close",
  "pty.resize",
  "pty.send",
  "pty.signal",
  "session.exec",
  "session.kill",
  "session.resize",
  "session.send",
  "session.signal",
  "session.stop",
].toSorted();

/** Its parameters from its first example, with a session of ours. */
function params(name: string, id: string): Record<string, unknown> {
  const row = TABLE.get(name);
  const shape = Object.keys(row?.params.shape ?? {});
  if (name === "session.attach") return { session_id: id, role: "viewer" };
  const example = { ...(row?.examples[0] as Record<string, unknown>) };
  if (shape.includes("session_id")) example["session_id"] = id;
  if (shape.includes("id")) example["id"] = id;
  return example;
}

/** One call at a time. */
class Rpc {
  readonly #socket: WebSocket;
  #answered: (message: Record<string, unknown>) => void = () => {};
  readonly #closed: Promise<Record<string, unknown>>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      if ("id" in message) this.#answered(message);
    });
    this.#closed = new Promise((resolve) =>
      socket.addEventListener("close", ({ code }) => resolve({ closed_with: code })),
    );
  }

  static async dial(served: Served, token: string): Promise<Rpc> {
    const socket = new WebSocket(`ws://${served.host}/api/v1/rpc`, ["holt.v1.rpc", `holt.bearer.${token}`]);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    return new Rpc(socket);
  }

  async call(method: string, given: unknown): Promise<Record<string, unknown>> {
    const answer = new Promise<Record<string, unknown>>((resolve) => (this.#answered = resolve));
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: given }));
    return Promise.race([answer, this.#closed]);
  }

  close(): void {
    this.#socket.close();
  }
}

/** Those that were not refused for the key that was shown. */
async function opened(id: string, token: string): Promise<string[]> {
  const served = web();
  const found: string[] = [];
  for (const name of TABLE.keys()) {
    const given = name === "session.wait" ? { session_id: id, until: ["exit"], timeout_ms: 1 } : params(name, id);
    const { status, body } = await served.post(httpRoute(name).replace("POST ", ""), given, token);
    // What it needs a connection for is tried below.
    if (WEBSOCKET_ONLY.has(name)) continue;
    if (status !== 403 || body.error?.code !== "EDENIED") found.push(name);
  }
  return found.toSorted();
}

describe.each(["viewer", "driver"] as const)("a %s's key", (role) => {
  test("opens of its own session what is listed here, and of another nothing", async () => {
    const served = web();
    const [own, other] = [await served.start(ECHO), await served.start(ECHO)];
    const token = await served.token(own, role);
    const expected = (role === "viewer" ? VIEWER : DRIVER).filter((name) => !WEBSOCKET_ONLY.has(name));
    expect(await opened(other, token)).toEqual([]);
    expect((await served.client.call("session.get", { session_id: other })).state).toBe("running");
    expect(served.bench.output(other).toString()).toBe("ready\r\n");
    for (const asked of [{ role: "driver" }, {}, { role: "viewer", detach_others: true }]) {
      const { status } = await served.call("session.attach", { session_id: own, ...asked }, token);
      expect(status).toBe(role === "driver" && !("detach_others" in asked) ? 200 : 403);
    }
    expect(await opened(own, token)).toEqual(expected);
  });

  /** Found here: `{session_id: own, id: other}` was looked at by the one name and carried out by the other, where a method let it be. */
  test("does not open another session under any spelling", async () => {
    const served = web();
    const [own, other] = [await served.start(ECHO), await served.start(ECHO)];
    const token = await served.token(own, role);
    for (const name of TABLE.keys()) {
      const both = { ...params(name, other), session_id: own, id: own, sessionId: own, ptyId: own };
      const swapped = { ...params(name, own), session_id: other, id: other };
      for (const given of [both, swapped]) {
        const shape = Object.keys(TABLE.get(name)?.params.shape ?? {});
        if (shape.includes("session_id") && shape.includes("id")) throw new Error(`${name} takes two`);
        const { status, body } = await served.post(httpRoute(name).replace("POST ", ""), given, token);
        expect({ name, status: status >= 400, leaks: JSON.stringify(body.data ?? "").includes(other) }).toEqual({
          name,
          status: true,
          leaks: false,
        });
      }
    }
    for (const name of ["pty.write", "exec.runBackground", "pty.spawn", "fs.readFile"]) {
      const given = { id: other, ptyId: other, data: "x", command: "true", path: "/etc/passwd" };
      expect((await served.post(`/api/v1/${name.replace(".", "/")}`, given, token)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await served.client.call("session.get", { session_id: other })).state).toBe("running");
    expect(served.bench.output(other).toString()).toBe("ready\r\n");
  });

  /**
   * Found here: what starts something takes the id that it is to have, and a driver's key let that be its own session's. While a WebSocket was open, and the session
   * was removed, that ran any command.
   */
  test("starts nothing, also not under the id of its session when that is gone", async () => {
    const served = web();
    const own = await served.start(ECHO);
    const rpc = await Rpc.dial(served, await served.token(own, role));
    const starting = [...TABLE.values()].filter(({ effect }) => effect === "exec");
    const start = async ({ name, params: schema }: (typeof starting)[number]) => {
      const given = { ...params(name, own), ...("command" in schema.shape ? { command: "touch x" } : {}) };
      return (await rpc.call(name, given)) as { error?: { data: { code: string } }; closed_with?: number };
    };
    for (const row of starting.filter(({ name }) => name !== "session.exec" || role === "viewer"))
      expect({ name: row.name, code: (await start(row)).error?.data.code }).toEqual({
        name: row.name,
        code: "EDENIED",
      });
    await served.client.call("session.kill", { session_id: own });
    await served.client.call("session.remove", { session_id: own });
    for (const row of starting) {
      const { name } = row;
      const answer = await start(row);
      const code = name === "session.exec" && role === "driver" ? "ENOTFOUND" : "EDENIED";
      // What came in with a key ends with its session, sooner or later.
      if (answer.closed_with !== undefined) expect(answer).toEqual({ closed_with: 4401 });
      else expect({ name, code: answer.error?.data.code }).toEqual({ name, code });
    }
    rpc.close();
    expect(served.bench.started()).not.toContain(own);
  });

  test("is told of its own session over WebSocket, of no other, and ends nobody else's subscription", async () => {
    const served = web();
    const [own, other] = [await served.start(ECHO), await served.start(ECHO)];
    const token = await served.token(own, role);
    const theirs = await Rpc.dial(served, served.ownerToken);
    const { result } = await theirs.call("session.subscribe", { session_id: other });
    const rpc = await Rpc.dial(served, token);
    expect(await rpc.call("session.subscribe", { session_id: own })).toMatchObject({ result: {} });
    for (const given of [{ session_id: other }, {}, { session_id: null }, { session_id: [own] }, [own]])
      expect(await rpc.call("session.subscribe", given)).toMatchObject({ error: { data: { code: "EDENIED" } } });
    const { subscription_id } = result as { subscription_id: string };
    expect(await rpc.call("session.unsubscribe", { subscription_id })).toMatchObject({ result: { ended: false } });
    rpc.close();
    theirs.close();
  });

  test("opens over WebSocket its own session, and at the resources no other", async () => {
    const served = web();
    const [own, other] = [await served.start(ECHO), await served.start(ECHO)];
    const token = await served.token(own, role);
    await (await served.attach(own, { token })).sees("ready");
    expect((await served.attach(other, { token })).closedWith).toBe(1006);
    const late = await served.attach(other, { token: null });
    late.say({ type: "attach", token });
    expect(await late.hears("error")).toMatchObject({ code: "EDENIED" });
    expect(await late.isClosed()).toBe(1008);
    for (const { method, path } of RESOURCES) {
      const at = path.replace(":id", other).replace(":exec_id", "1");
      const { status } = await fetch(`http://${served.host}${at}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(method === "POST" ? { body: "{}" } : {}),
      });
      expect({ at, status }).toEqual({ at, status: 403 });
    }
    for (const path of ["/metrics", "/mcp"]) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = path === "/mcp" ? { method: "POST", body: "{}", headers } : { headers };
      expect((await fetch(`http://${served.host}${path}`, init)).status).toBe(403);
    }
    expect(served.bench.output(other).toString()).toBe("ready\r\n");
  });
});

test("a key to one session opens 32 sockets, and no more: the others' are left alone", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const token = await served.token(id, "viewer");
  const headers = { Host: served.host, Authorization: `Bearer ${token}`, ...UPGRADE };
  const clients: RawWeb[] = [];
  const open = async (): Promise<number> => {
    const client = await RawWeb.dial({ port: served.port });
    clients.push(client);
    client.write(requestOf(`GET /api/v1/sessions/${id}/stream`, headers));
    return (await client.answer()).status;
  };
  for (let number = 0; number < 32; number++) expect(await open()).toBe(101);
  expect(await open()).toBe(429);
  await (await served.attach(id)).hears("history");
  clients[0]?.[Symbol.dispose]();
  await until("there is a place", async () => (await open()) === 101);
  for (const client of clients) client[Symbol.dispose]();
});

/** Who showed the key in the first message was counted among those without one, and then among nobody. */
test("nor more than 32 that show it in their first message", async () => {
  const served = web();
  const id = await served.start(ECHO, { max_clients: 64 });
  const token = await served.token(id, "viewer");
  const enter = async () => {
    const terminal = await served.attach(id, { token: null });
    terminal.say({ type: "attach", token });
    return terminal;
  };
  const first = await enter();
  await first.hears("history");
  for (let number = 1; number < 32; number++) await (await enter()).hears("history");
  const late = await enter();
  expect(await late.hears("error")).toMatchObject({ code: "ERLIMIT" });
  expect(await late.isClosed()).toBe(1008);
  expect((await served.attach(id, { token })).closedWith).toBe(1006);
  first.close();
  await until("there is a place", async () => (await served.attach(id, { token })).closedWith === null);
});
