/**
 * Who is let in over HTTP, WebSocket and MCP: every combination of what a request can show. In `make test` those in which at most two things are wrong, in `make soak` all.
 */
import { expect, test } from "bun:test";
import { BEARER_PROTOCOL } from "../../src/protocol/wire/web.ts";
import { anotherAddress, type Answer, RawWeb, requestOf, UPGRADE } from "../web/raw-web.ts";
import { ECHO, type Served, sharedWeb } from "../web/served.ts";
import { inParallel, SOAK, until } from "./size.ts";

const web = sharedWeb("http.rate = 1000000");
const secrets: string[] = [];

interface Choice {
  name: string;
  isRight: boolean;
  value: string | null;
}

const right = (name: string, value: string | null): Choice => ({ name, isRight: true, value });
const wrong = (name: string, value: string | null): Choice => ({ name, isRight: false, value });

const hosts = (port: number): Choice[] => [
  right("its address", `127.0.0.1:${port}`),
  right("localhost", `localhost:${port}`),
  right("in capitals", `LOCALHOST:${port}`),
  right("over IPv6", `[::1]:${port}`),
  wrong("another name", "evil.example"),
  wrong("another name with our port", `evil.example:${port}`),
  wrong("a name that leads here", `127.0.0.1.nip.io:${port}`),
  wrong("a name that begins like ours", `localhost.evil.example:${port}`),
  wrong("no port", "127.0.0.1"),
  wrong("another port", "127.0.0.1:1"),
  wrong("another spelling", `2130706433:${port}`),
  wrong("none", null),
  wrong("an empty one", ""),
];
const origins = (port: number): Choice[] => [
  right("none", null),
  right("its own", `http://127.0.0.1:${port}`),
  right("its own name", `http://localhost:${port}`),
  wrong("another site", "http://evil.example"),
  wrong("another port", "http://127.0.0.1:1"),
  wrong("another scheme", `https://127.0.0.1:${port}`),
  wrong("null", "null"),
  wrong("one that begins like ours", `http://127.0.0.1:${port}.evil.example`),
  wrong("an empty one", ""),
];
const SITES: Choice[] = [
  right("none said", null),
  right("same-origin", "same-origin"),
  right("none", "none"),
  wrong("cross-site", "cross-site"),
  wrong("same-site", "same-site"),
  wrong("nonsense", "nonsense"),
];

async function tokens(served: Served, id: string): Promise<Choice[]> {
  const other = await served.start(ECHO);
  const revoked = await served.made(id, "driver");
  await served.client.call("token.revoke", { token_id: revoked.token_id });
  const expired = await served.made(id, "driver", 1);
  await until("it has ended", () => Date.now() > Date.parse(expired.expires_at ?? ""));
  const { ticket } = await served.client.call("web.ticket", {});
  await served.post("/api/v1/web/session", { ticket }, null);
  const made = [
    right("right", served.ownerToken),
    wrong("wrong", "w".repeat(43)),
    wrong("none", null),
    wrong("ended", expired.token),
    wrong("taken back", revoked.token),
    wrong("of another session", await served.token(other, "driver")),
    wrong("a used ticket", ticket),
    wrong("its beginning", served.ownerToken.slice(0, -1)),
    wrong("an empty one", ""),
  ];
  secrets.push(...made.flatMap(({ value }) => (value === null || value === "" ? [] : [value])));
  return made;
}

interface Door {
  name: string;
  first: string;
  isSocket: boolean;
  body: string;
}

const doors = (id: string): Door[] => [
  { name: "a document", first: "GET /api/v1/openapi.json", isSocket: false, body: "" },
  { name: "a call", first: "POST /api/v1/session/list", isSocket: false, body: "{}" },
  { name: "a resource", first: `GET /api/v1/pty/sessions/${id}`, isSocket: false, body: "" },
  { name: "metrics", first: "GET /metrics", isSocket: false, body: "" },
  {
    name: "MCP",
    first: "POST /mcp",
    isSocket: false,
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  },
  { name: "a terminal", first: `GET /api/v1/pty/sessions/${id}/attach`, isSocket: true, body: "" },
  { name: "a stream", first: `GET /api/v1/sessions/${id}/stream`, isSocket: true, body: "" },
  { name: "JSON-RPC", first: "GET /api/v1/rpc", isSocket: true, body: "" },
];

interface Case {
  door: Door;
  host: Choice;
  origin: Choice;
  site: Choice;
  token: Choice;
}

async function asked({ door, host, origin, site, token }: Case, port: number): Promise<Answer> {
  using client = await RawWeb.dial({ port, from: anotherAddress() });
  const key = token.value === null ? null : token.value;
  client.write(
    requestOf(
      door.first,
      {
        Host: host.value,
        Origin: origin.value,
        "Sec-Fetch-Site": site.value,
        ...(door.isSocket
          ? { ...UPGRADE, "Sec-WebSocket-Protocol": key === null ? null : `holt.v1.json, ${BEARER_PROTOCOL}${key}` }
          : { Authorization: key === null ? null : `Bearer ${key}`, Accept: "application/json, text/event-stream" }),
        ...(door.body === "" ? {} : { "Content-Type": "application/json" }),
      },
      door.body,
    ),
  );
  return await client.answer(); // it is there until then
}

function* combinations(served: Served, id: string, keys: Choice[]): Generator<Case> {
  for (const door of doors(id))
    for (const host of hosts(served.port))
      for (const origin of origins(served.port))
        for (const site of SITES) for (const token of keys) yield { door, host, origin, site, token };
}

const isUsual = ({ name }: Choice, usual: string): boolean => name === usual;

/** Found here: a request without a Host has no address, the line for the log could not be made of it, and it was answered with 500. */
test("exactly those with all of it right are let in; all others are refused, and it is logged without what they showed", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const keys = await tokens(served, id);
  const all = [...combinations(served, id, keys)].filter(({ host, origin, site, token }) => {
    const others = [
      isUsual(host, "its address"),
      isUsual(origin, "none"),
      isUsual(site, "none said"),
      isUsual(token, "right"),
    ].filter((usual) => !usual);
    return SOAK || others.length <= 2;
  });
  const counts = new Map<number, number>();
  await inParallel(all.length, 16, async (number) => {
    const each = all[number] as Case;
    const { door, host, origin, site, token } = each;
    const { status, headers, body } = await asked(each, served.port);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    const isFromHere = host.isRight && origin.isRight && site.isRight;
    // A terminal may be shown the key later, and is then refused.
    const isLater = door.name === "a terminal" && token.value === null;
    const ofOther = token.name === "of another session";
    const passed = door.isSocket ? 101 : 200;
    // What says nothing of any session, or looks at each call, opens with any key.
    const isOpen = token.isRight || isLater || (ofOther && ["JSON-RPC", "a document"].includes(door.name));
    // No HTTP/1.1 is without a Host: the runtime refuses it, before anybody sees it.
    const expected = host.value === null ? 400 : !isFromHere ? 403 : isOpen ? passed : ofOther ? 403 : 401;
    const names = [door, host, origin, site, token].map(({ name }) => name).join(", ");
    expect({ names, status }).toEqual({ names, status: expected });
    if (host.value !== null) expect(headers.get("x-content-type-options")).toBe("nosniff");
    for (const name of headers.keys()) expect(name).not.toMatch(/^access-control|^set-cookie/);
    if (token.value !== null && token.value !== "")
      expect(body + [...headers.values()].join()).not.toContain(token.value);
  });
  console.log(`${all.length} combinations: ${[...counts].map(([status, count]) => `${status} ${count}`).join(", ")}`);
  if (SOAK) return; // the log has been rotated by then
  const refused = served.log().filter(({ message }) => message === "http refused");
  expect(refused.filter(({ status }) => status === 403).length).toBe(counts.get(403) ?? 0);
  expect(refused.filter(({ status }) => status === 401).length).toBe(counts.get(401) ?? 0);
});

test("what another site's page can send without asking is refused: forms, plain text, beacons, and it is not told that it could ask", async () => {
  const served = web();
  const { ticket } = await served.client.call("web.ticket", {});
  secrets.push(ticket);
  const types = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "text/plain; x=application/json",
    null,
  ];
  const paths = [
    "/api/v1/session/start",
    "/api/v1/web/session",
    "/api/v1/pty/sessions",
    "/mcp",
    "/api/v1/daemon/shutdown",
  ];
  for (const path of paths)
    for (const type of types)
      for (const origin of ["http://evil.example", "null", null]) {
        using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
        // No page of another site can send this header: it is here so that it is not for want of a key.
        const headers = {
          Host: served.host,
          Origin: origin,
          "Content-Type": type,
          Authorization: `Bearer ${served.ownerToken}`,
        };
        client.write(requestOf(`POST ${path}`, headers, JSON.stringify({ argv: ["touch", "/tmp/x"], ticket })));
        const { status } = await client.answer();
        expect({ path, type, origin, status }).toEqual({ path, type, origin, status: origin === null ? 415 : 403 });
      }
  for (const path of [...paths, "/", "/healthz"])
    for (const origin of ["http://evil.example", `http://${served.host}`]) {
      using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
      const headers = {
        Host: served.host,
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
      };
      client.write(requestOf(`OPTIONS ${path}`, headers));
      const answer = await client.answer();
      if (origin === "http://evil.example") expect(answer.status).toBe(403);
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  // The ticket was never taken for one.
  expect((await served.post("/api/v1/web/session", { ticket }, null)).status).toBe(200);
  expect(served.bench.daemonPid).not.toBeNull();
});

/** Found here: a link in a mail or a chat is another site's, and whoever followed it was told 403 instead of seeing the session that was shared. */
test("a link on another site opens the page, and nothing else", async () => {
  const served = web();
  const followed = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  const ask = async (first: string, headers: Record<string, string>): Promise<number> => {
    using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
    client.write(requestOf(first, { Host: served.host, ...headers }));
    return (await client.answer()).status;
  };
  expect(await ask("GET /", followed)).toBe(200);
  expect(await ask("GET /api/v1/openapi.json", followed)).toBe(401);
  expect(await ask("GET /", { ...followed, "Sec-Fetch-Dest": "iframe" })).toBe(403);
  expect(await ask("GET /", { ...followed, "Sec-Fetch-Mode": "no-cors" })).toBe(403);
  expect(await ask("GET /", { ...followed, Origin: "http://evil.example" })).toBe(403);
  expect(await ask("POST /", followed)).toBe(403);
});

/**
 * A request line with an absolute URI of a foreign host (`GET http://evil.example/ HTTP/1.1`) was answered like one of our own. The runtime takes the host out of the
 * request line before holt sees it, so it cannot be refused: this holds that it has no effect either. The Host header decides, and the foreign name comes back nowhere.
 */
test("a host in the request line has no effect: the Host header decides", async () => {
  const served = web();
  const key = { Authorization: `Bearer ${served.ownerToken}` };
  const ask = async (first: string, headers: Record<string, string>) => {
    using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
    client.write(requestOf(first, headers));
    const { status, headers: answered, body } = await client.answer();
    expect([...answered.values(), body].join("\n")).not.toContain("evil.example");
    return status;
  };
  const foreign = [
    "http://evil.example",
    "https://evil.example:1",
    "http://evil.example@127.0.0.1",
    "http://x@evil.example",
  ];
  for (const path of ["/", "/healthz", "/api/v1/openapi.json", "/api/v1/nothing", "/metrics"])
    for (const headers of [{}, key]) {
      const usual = await ask(`GET ${path}`, { Host: served.host, ...headers });
      for (const at of foreign) {
        expect([at, path, await ask(`GET ${at}${path}`, { Host: served.host, ...headers })]).toEqual([at, path, usual]);
        expect(await ask(`GET ${at}${path}`, { Host: "foreign.example", ...headers })).toBe(403);
      }
      expect(await ask(`GET http://${served.host}${path}`, { Host: "foreign.example", ...headers })).toBe(403);
    }
  for (const target of ["evil.example:80", "*"])
    expect(await ask(`CONNECT ${target}`, { Host: served.host, ...key })).toBeGreaterThanOrEqual(400);
});

test("a key counts where it is shown as one: not in a query, a cookie, another scheme, or twice", async () => {
  const served = web();
  const key = served.ownerToken;
  const ways: Record<string, string>[] = [
    { Cookie: `token=${key}` },
    { Authorization: `Basic ${btoa(`x:${key}`)}` },
    { Authorization: key },
    { Authorization: `Bearer ${key} ${key}` },
    { "X-Api-Key": key },
    { "Sec-WebSocket-Protocol": `${BEARER_PROTOCOL}${key}` }, // no upgrade
    { "Proxy-Authorization": `Bearer ${key}` },
  ];
  for (const headers of ways) {
    using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
    client.write(requestOf(`GET /api/v1/openapi.json?token=${key}&ticket=${key}`, { Host: served.host, ...headers }));
    expect({ headers, status: (await client.answer()).status }).toEqual({ headers, status: 401 });
  }
});

test("who tries keys is put off, and whoever has one from the same address is not", async () => {
  const served = web();
  const from = anotherAddress();
  const statuses: number[] = [];
  for (let tries = 0; tries < 40; tries++) {
    using client = await RawWeb.dial({ port: served.port, from });
    client.write(requestOf("GET /api/v1/openapi.json", { Host: served.host, Authorization: `Bearer guess${tries}` }));
    const { status, headers } = await client.answer();
    statuses.push(status);
    if (status === 429) expect(headers.get("retry-after")).toBe("1");
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  using client = await RawWeb.dial({ port: served.port, from });
  client.write(
    requestOf("GET /api/v1/openapi.json", { Host: served.host, Authorization: `Bearer ${served.ownerToken}` }),
  );
  expect((await client.answer()).status).toBe(200);
});

test("nothing that was shown in all this is in a log", () => {
  const text = ["holt.jsonl", "audit.jsonl"].map((name) => JSON.stringify(web().log(name))).join();
  for (const secret of secrets) expect(text.includes(secret)).toBe(false);
});
