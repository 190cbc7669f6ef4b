/** Keys: the owner's, those of one session; and that what came in with one ends with it. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { areClosed, areOpen, doors } from "./doors.ts";
import { doorPages, withOpener } from "../http/door-pages.ts";
import { ECHO, sharedWeb, withWeb } from "./served.ts";

const web = sharedWeb("http.rate = 100000");

const mode = (path: string): number => statSync(path).mode & 0o777;
const tokenBits = (token: string): number => Buffer.from(token, "base64url").length * 8;

describe("The owner's token", () => {
  test("lies in a file that only its user reads, is made once and outlives the daemon", async () => {
    await withWeb(async (served) => {
      const path = join(served.bench.state, "owner-token");
      expect(mode(path)).toBe(0o600);
      expect(tokenBits(served.ownerToken)).toBeGreaterThanOrEqual(128);
      const before = readFileSync(path);
      expect((await served.call("health.info", {})).status).toBe(200);
      await served.killDaemon();
      expect(readFileSync(path).equals(before)).toBe(true);
      expect((await served.call("health.info", {})).status).toBe(200);
    });
  });

  /** Found here: what was opened with the one before stayed open for as long as its client liked. */
  test("is another when its file is: the old one opens nothing, and what it opened is closed", async () => {
    await withWeb(async (served) => {
      const id = await served.start(ECHO);
      const old = served.ownerToken;
      const open = doors(served, id, old);
      await areOpen(open);
      writeFileSync(join(served.bench.state, "owner-token"), `${"n".repeat(43)}\n`, { mode: 0o600 });
      expect(await areClosed(open)).toEqual([4401, 4401, 4401]);
      expect((await served.call("health.info", {}, old)).status).toBe(401);
      expect((await served.call("health.info", {}, "n".repeat(43))).status).toBe(200);
      rmSync(join(served.bench.state, "owner-token"));
      await until(
        "there is another",
        async () => (await served.call("health.info", {}, "n".repeat(43))).status !== 200,
      );
      expect(served.ownerToken).not.toBe("n".repeat(43));
      expect(mode(join(served.bench.state, "owner-token"))).toBe(0o600);
      expect((await served.call("health.info", {})).status).toBe(200);
    });
  });

  test("is not taken from an address, where histories and logs would have it", async () => {
    const served = web();
    const id = await served.start(ECHO);
    for (const path of [`/api/v1/pty/sessions/${id}/attach`, `/api/v1/sessions/${id}/stream`, "/api/v1/rpc"]) {
      const socket = new WebSocket(`ws://${served.host}${path}?token=${served.ownerToken}`);
      const { code } = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
      expect(code).toBe(1006); // it was never open
    }
    expect((await fetch(`http://${served.host}/api/v1/openapi.json?token=${served.ownerToken}`)).status).toBe(401);
  });
});

describe("A session's token", () => {
  test("has 128 bits or more, is kept as a hash alone, and opens after the daemon was killed", async () => {
    await withWeb(async (served) => {
      const id = await served.start(ECHO);
      const { token } = await served.made(id, "driver");
      const path = join(served.bench.state, "tokens.json");
      expect(tokenBits(token)).toBeGreaterThanOrEqual(128);
      expect(mode(path)).toBe(0o600);
      expect(readFileSync(path, "utf8")).not.toContain(token);
      await served.killDaemon();
      const terminal = await served.attach(id, { token });
      await terminal.sees("ready");
      expect(readdirSync(served.bench.state).filter((name) => name.includes("tmp"))).toEqual([]);
    });
  });

  /** Found here: of the three, only a terminal was closed. */
  test.each(["token.revoke", "token.rotate"] as const)(
    "that is taken back by %s closes what it opened, at once",
    async (how) => {
      const served = web();
      const id = await served.start(ECHO);
      const { token, token_id } = await served.made(id, "driver");
      const other = await served.token(id, "driver");
      const [open, others] = [doors(served, id, token), doors(served, id, other)];
      await areOpen([...open, ...others]);
      const answer = await served.client.call(how, { token_id });
      expect(await areClosed(open)).toEqual([4401, 4401, 4401]);
      expect((await served.call("session.get", { session_id: id }, token)).status).toBe(401);
      expect(others.map(({ closed }) => closed)).toEqual([null, null, null]);
      if (!("token" in answer)) return expect(answer).toEqual({ revoked: true });
      expect(answer.token).not.toBe(token);
      expect((await served.call("session.get", { session_id: id }, answer.token)).status).toBe(200);
    },
  );

  test("that is taken back types nothing more", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const { token, token_id } = await served.made(id, "driver");
    const terminal = await served.attach(id, { token });
    await terminal.hears("history");
    await served.client.call("token.revoke", { token_id });
    terminal.type("after\r");
    await terminal.isClosed();
    const { clients } = await served.client.call("session.clients", { session_id: id });
    expect(clients).toEqual([]);
    expect(served.bench.output(id).toString()).toBe("ready\r\n");
  });

  /** Found here: who had asked to be told of the end of a session was told, long after that was theirs to know. */
  test("that ends gives up what waits over HTTP", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const { token } = await served.made(id, "viewer", 1);
    const waiting = served.call("session.wait", { session_id: id, until: ["exit"], timeout_ms: 60_000 }, token);
    expect((await waiting).status).toBe(401);
    const isGivenUp = ({ method, session_id, error }: Record<string, unknown>): boolean =>
      method === "session.wait" && session_id === id && error === "ECANCELED";
    await until("it was begun, and given up", () => served.log("audit.jsonl").some(isGivenUp));
  });

  /** Found here: a socket stayed open long after the key that opened it had ended. */
  test("that ends closes what it opened, and opens nothing", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const { token, expires_at } = await served.made(id, "viewer", 1);
    const open = doors(served, id, token);
    await areOpen(open);
    expect(await areClosed(open)).toEqual([4401, 4401, 4401]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at ?? ""));
    expect((await served.call("session.get", { session_id: id }, token)).status).toBe(401);
    expect((await served.client.call("token.list", { session_id: id })).tokens).toEqual([]);
  });

  /** Found here: thirty days are more than a timer of the runtime's holds, and such a one fires at once. */
  test("for thirty days holds its sockets open", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const open = doors(served, id, await served.token(id, "viewer", 30 * 24 * 3600));
    await areOpen(open);
    const terminal = await served.attach(id);
    await terminal.hears("history");
    terminal.type("a while\r");
    await terminal.sees("got a while");
    expect(open.map(({ closed }) => closed)).toEqual([null, null, null]);
  });

  test("goes with its session", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const token = await served.token(id, "driver");
    await served.client.call("session.kill", { session_id: id });
    expect((await served.call("session.get", { session_id: id }, token)).body.data).toMatchObject({
      state: "signaled",
    });
    await served.client.call("session.remove", { session_id: id });
    expect((await served.call("session.get", { session_id: id }, token)).status).toBe(401);
  });

  test("of a file that is damaged opens nothing, and another can be made", async () => {
    await withWeb(async (served) => {
      const id = await served.start(ECHO);
      const { token } = await served.made(id, "driver");
      const path = join(served.bench.state, "tokens.json");
      for (const damage of ["", "{", "[]", '{"keys":{}}', '{"keys":[1,{"token_id":"x"},null]}']) {
        writeFileSync(path, damage);
        await served.killDaemon();
        expect((await served.call("session.get", { session_id: id }, token)).status).toBe(401);
      }
      const another = await served.token(id, "driver");
      expect((await served.call("session.get", { session_id: id }, another)).status).toBe(200);
    });
  });
});

test("nothing secret is in a log, the audit, a list, an error, or the arguments of a process", async () => {
  await withWeb(async (served) => {
    const id = await served.start(ECHO);
    const secrets = [served.ownerToken, "wr0ng-".repeat(8)];
    const told: string[] = [];
    for (const role of ["viewer", "driver"] as const) {
      const { token, token_id } = await served.made(id, role);
      secrets.push(token, (await served.client.call("token.rotate", { token_id })).token);
    }
    const { ticket } = await served.client.call("web.ticket", {});
    const { body } = await served.post("/api/v1/web/session", { ticket }, null);
    secrets.push(ticket, String(body.data?.["token"]));
    for (const secret of secrets) {
      for (const query of [{ token: secret }, { ticket: secret }]) {
        const terminal = await served.attach(id, { token: null, query });
        told.push(JSON.stringify(terminal.told));
      }
      const late = await served.attach(id, { token: null });
      late.say({ type: "attach", token: secret });
      await until("it is answered", () => late.told.length > 0);
      told.push(JSON.stringify(late.told.filter(({ type }) => type === "error")));
      late.close();
      told.push(JSON.stringify(await served.call("no.such", { token: secret }, secret)));
      told.push(JSON.stringify((await served.post("/api/v1/web/session", { ticket: `${secret}x` }, null)).body));
      const bad = await fetch(`http://${served.host}/?token=${secret}`, { headers: { origin: "http://evil.example" } });
      told.push(await bad.text());
    }
    for (const args of [
      ["ls", "--json"],
      ["show", id],
      ["clients", id],
      ["call", "token.list", "{}"],
    ])
      told.push((await served.bench.run(args)).text);
    const opened = join(served.bench.root, "opened");
    const env = withOpener(served.bench.root, `tr '\\0' ' ' < /proc/$$/cmdline > ${opened}`);
    secrets.push((await served.bench.run(["web"], { env })).text.trim().split("#ticket=")[1] ?? "no link");
    await until("the page is opened", () => existsSync(opened) && readFileSync(opened, "utf8") !== "");
    told.push(readFileSync(opened, "utf8"));
    // What is opened leads there, so it must have it; nobody else can read it.
    const pages = doorPages(served.bench);
    for (const page of pages) expect(mode(page)).toBe(0o600);
    for (const pid of [served.bench.daemonPid ?? 0, ...served.bench.holders()])
      told.push(readFileSync(`/proc/${pid}/cmdline`, "latin1"), readFileSync(`/proc/${pid}/environ`, "latin1"));
    for (const name of readdirSync(served.bench.state, { recursive: true }) as string[]) {
      const path = join(served.bench.state, name);
      if (
        name !== "owner-token" &&
        !pages.includes(path) &&
        statSync(path, { throwIfNoEntry: false })?.isFile() === true
      )
        told.push(readFileSync(path, "latin1"));
    }
    for (const secret of secrets) expect(told.filter((text) => text.includes(secret))).toEqual([]);
    expect(told.join().length).toBeGreaterThan(10_000);
  }, "http.rate = 100000");
});

test("A key that is offered among the protocols is never agreed on, and so never sent back", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const bearer = `holt.bearer.${served.ownerToken}`;
  for (const path of [`/api/v1/pty/sessions/${id}/attach`, `/api/v1/sessions/${id}/stream`, "/api/v1/rpc"])
    for (const offered of [bearer, `${bearer}, foo`, `foo, ${bearer}`, "foo"]) {
      using client = await RawWeb.dial({ port: served.port });
      client.write(requestOf(`GET ${path}`, { Host: served.host, ...UPGRADE, "Sec-WebSocket-Protocol": offered }));
      const { status } = await client.answer();
      expect({ path, offered: offered.length, status }).toEqual({
        path,
        offered: offered.length,
        status: offered === "foo" && !path.endsWith("attach") ? 401 : 400,
      });
      expect(client.received.toString()).not.toContain(served.ownerToken);
    }
});

test("A key to a session that was removed opens no other of that id, and what it opened is closed", async () => {
  // Somebody who had a link to `prod` could read and type into the next session that was called so.
  const served = web();
  await served.start(ECHO, { session_id: "prod" });
  const token = await served.token("prod", "driver");
  const all = doors(served, "prod", token);
  await areOpen(all);
  await served.client.call("session.kill", { session_id: "prod" });
  await served.client.call("session.wait", { session_id: "prod", until: ["exit"] });
  await served.client.call("session.remove", { session_id: "prod" });
  await served.start(ECHO, { session_id: "prod" });
  expect((await served.call("session.screen", { session_id: "prod" }, token)).status).toBe(401);
  await areClosed(all);
  expect((await served.client.call("token.list", { session_id: "prod" })).tokens).toEqual([]);
  await served.client.call("session.kill", { session_id: "prod" });
});

test("A key is taken back at once, though that cannot be written down", async () => {
  // On a full disk it was not taken back at all: whoever has a key can fill the disk.
  await withWeb(async (served) => {
    const id = await served.start(ECHO);
    const { token, token_id } = await served.made(id, "viewer");
    const all = doors(served, id, token);
    await areOpen(all);
    rmSync(join(served.bench.state, "tokens.json"));
    mkdirSync(join(served.bench.state, "tokens.json")); // nothing can take its place
    const refused = await served.client.call("token.revoke", { token_id }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "EIO" });
    await areClosed(all);
    expect((await served.call("session.screen", { session_id: id }, token)).status).toBe(401);
    rmSync(join(served.bench.state, "tokens.json"), { recursive: true });
  });
});
