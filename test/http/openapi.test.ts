/** What /api/v1/openapi.json says: that it is OpenAPI 3.1 says a public validator, that it is true says a client that a public generator makes of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ERROR_CODES } from "../../src/protocol/types/errors.ts";
import { METHOD_NAMES } from "../../src/protocol/methods/method-names.ts";
import { MAX_BODY_BYTES } from "../../src/protocol/wire/web.ts";
import { OWN_STATUSES } from "../../src/surfaces/http/responses.ts";
import type { HttpPlace } from "./http-place.ts";
import { ServedBench } from "./served.ts";

const ROOT = join(import.meta.dir, "../..");

let served: ServedBench;
let http: HttpPlace;
let text: string;
beforeAll(async () => {
  served = await ServedBench.open("[http]\nrate = 10000\n");
  ({ http } = served);
  ({ text } = await http.ask("/api/v1/openapi.json"));
});
afterAll(async () => served[Symbol.asyncDispose]());

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}

test("It is valid OpenAPI 3.1.", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(text) as Parameters<Validator["validate"]>[0]);
  expect({ valid, errors, version: validator.version }).toEqual({ valid: true, errors: undefined, version: "3.1" });
});

test("It has every method but the two that need a connection, and the resources; each with its errors.", () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const calls = METHOD_NAMES.filter((name) => !["session.subscribe", "session.unsubscribe"].includes(name));
  expect(ids).toEqual(expect.arrayContaining(calls.map((name) => name.replaceAll(".", "_"))));
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      "/api/v1/pty/sessions",
      "/api/v1/pty/sessions/{id}",
      "/api/v1/sessions/{id}/input",
      "/api/v1/sessions/{id}/exec",
      "/api/v1/sessions/{id}/executions/{exec_id}",
    ]),
  );
  for (const { responses } of operations)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "401", "403", "429", "500"]));
});

/** Of the document: each method of each path. */
function documented(): { method: string; path: string; responses: string[] }[] {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "nosuch"),
      responses: Object.keys(responses),
    })),
  );
}

/** A client that was generated from the document met 413, 415, 499, 503 and 504, of which the document said nothing. */
test("Every status that can be answered is told.", async () => {
  const all = new Set(documented().flatMap(({ responses }) => responses));
  // A method that a path has not, and a WebSocket that is asked for without an upgrade: neither is an operation of the document.
  const { method: _, upgrade: __, ...own } = OWN_STATUSES;
  const known = [...Object.values(ERROR_CODES).map(({ http: status }) => status), ...Object.values(own)];
  expect([...all]).toEqual(expect.arrayContaining(known.map(String)));
  const json = { "content-type": "application/json" };
  for (const { method, path, responses } of documented()) {
    const body = method === "GET" ? {} : { body: "{}" };
    const wrong = method === "GET" ? [] : [{ headers: json, body: "[]" }, { body: "{}" }];
    const large = { "content-length": String(MAX_BODY_BYTES + 1) };
    const asked = await Promise.all([
      http.ask(path, { method, token: null }),
      http.ask(path, { method, headers: { host: "foreign.example" } }),
      ...wrong.map((each) => http.ask(path, { method, ...each })),
      ...(method === "GET"
        ? []
        : [http.ask(path, { method, headers: { ...json, ...large }, body: "x".repeat(MAX_BODY_BYTES + 1) })]),
      ...(path.includes("nosuch") ? [http.ask(path, { method, headers: json, ...body })] : []),
      ...(method === "POST" ? [http.post(path, { session_id: "nosuch", id: "nosuch" })] : []),
    ]);
    for (const { status } of asked) expect([path, responses]).toEqual([path, expect.arrayContaining([String(status)])]);
  }
});

/** What the generated client's functions answer. */
type Answered = { status: number; data: { apiVersion: string; data: Record<string, unknown> } };
type Call = (...args: unknown[]) => Promise<Answered>;
type Generated = Record<string, Call> & { defaults: { baseUrl: string; headers: object } };

/** Nobody wrote it by hand: it is made here, and lies where it finds its runtime. */
async function generated(directory: string): Promise<Generated> {
  const [description, client] = [join(directory, "openapi.json"), join(directory, "client.ts")];
  writeFileSync(description, text);
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const generator = join(ROOT, "node_modules/oazapfts/dist/cli.js");
  const made = Bun.spawnSync([process.execPath, generator, description, client], { stderr: "pipe" });
  expect({ exitCode: made.exitCode, stderr: made.stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  return (await import(client)) as Generated;
}

test("A client that is generated from it starts, reads, types into and ends sessions.", async () => {
  const directory = mkdtempSync(join(tmpdir(), "api-"));
  try {
    const api = await generated(directory);
    api.defaults.baseUrl = http.origin;
    api.defaults.headers = { authorization: `Bearer ${http.token}` };
    const call = async (name: string, ...args: unknown[]) => {
      const answered = await api[name]?.(...args);
      return { status: answered?.status, data: answered?.data.data, ...answered?.data };
    };
    expect(await call("sessionStart", { session_id: "made", argv: ["cat"] })).toMatchObject({
      status: 200,
      apiVersion: "1.0",
    });
    expect(await call("postSessionsIdInput", "made", { text: "hello\r" })).toMatchObject({ status: 200 });
    const wait = { session_id: "made", cursor: "0", until: [{ match: "hello\nhello" }] };
    expect((await call("sessionWait", wait)).data).toMatchObject({ outcome: "matched" });
    expect((await call("sessionRead", { session_id: "made", view: "text" })).data).toMatchObject({
      text: "hello\nhello",
    });
    const created = await call("postPtySessions", { cmd: ["sleep", "60"], cols: 90, rows: 20 });
    expect(created).toMatchObject({ status: 201, data: { cols: 90, rows: 20, state: "running" } });
    const { id } = created.data as { id: string };
    expect((await call("getPtySessions")).data).toBeArrayOfSize(2);
    expect((await call("deletePtySessionsId", id)).data).toMatchObject({ id, state: "signaled" });
    expect((await call("sessionKill", { session_id: "made" })).data).toMatchObject({ state: "signaled" });
    expect(await call("sessionGet", { session_id: "nosuch" })).toMatchObject({
      status: 404,
      error: { code: "ENOTFOUND", message: "session not found: nosuch" },
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
