/**
 * Whoever asked over HTTP had no id by which the log and the audit know the request, and could not bring one along. It ends up in headers and in files that
 * people read, so what a hostile caller sends is replaced.
 */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { entriesOf, HOSTILE_IDS, logEntries, OWN_ID } from "../support/log-entries.ts";
import { servedThroughout } from "./served.ts";

const served = servedThroughout();

describe("X-Request-Id", () => {
  test("is on every answer, and the caller's own is taken over", async () => {
    const id = "req_0190-Az:1.2";
    const [mine, { http }] = [{ headers: { "x-request-id": id } }, served];
    const answers = [
      await http.ask("/healthz", mine),
      await http.ask("/", mine),
      await http.ask("/nothing/here", mine),
      await http.ask("/api/v1/openapi.json", mine),
      await http.ask("/metrics", mine),
      await http.ask("/api/v1/session/list", { ...mine, token: null }),
      await http.ask("/api/v1/session/list", mine),
      await http.post("/api/v1/session/list", {}, mine),
      await http.post("/api/v1/session/list", { nonsense: 1 }, mine),
      await http.post("/mcp", {}, mine),
      await http.ask("/mcp", mine),
      await http.ask("/api/v1/rpc", mine),
      await http.ask("/healthz", { headers: { ...mine.headers, host: "evil.example" } }),
    ];
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(answers.map(() => id));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 403, 404, 405, 426]));
  });

  test("is the call's correlation id, in the body of an error, the log and the audit", async () => {
    const failed = await served.http.post("/api/v1/session/get", { session_id: "nosuch" });
    const id = failed.headers.get("x-request-id") ?? "";
    expect(failed.body.error?.details["correlation_id"]).toBe(id);
    expect(await entriesOf(served.bench, "holt", id)).toMatchObject([{ method: "session.get", error: "ENOTFOUND" }]);
    expect(await entriesOf(served.bench, "audit", id)).toMatchObject([{ method: "session.get", error: "ENOTFOUND" }]);
    const own = { headers: { "x-request-id": "well" } };
    expect((await served.http.post("/api/v1/session/list", {}, own)).status).toBe(200);
    expect(await entriesOf(served.bench, "audit", "well")).toMatchObject([{ method: "session.list", error: null }]);
    const refused = await served.http.post("/api/v1/session/list", {}, { token: null });
    expect(await entriesOf(served.bench, "holt", refused.headers.get("x-request-id") ?? "")).toMatchObject([
      { status: 401 },
    ]);
  });

  test("of a hostile caller is replaced", async () => {
    for (const hostile of HOSTILE_IDS.filter((each) => !/[\0\u0100-\uffff]/.test(each))) {
      const { headers, status } = await served.http.post(
        "/api/v1/session/list",
        {},
        { headers: { "x-request-id": hostile } },
      );
      expect([hostile, status, headers.get("x-request-id")]).toEqual([hostile, 200, expect.stringMatching(OWN_ID)]);
    }
  });

  /** By hand: a client's library refuses to send these. */
  test("brings no header and no second answer along, whatever bytes it has", async () => {
    const { port } = new URL(served.http.origin);
    for (const value of [
      "a\rSet-Cookie: x=1",
      "a\nSet-Cookie: x=1",
      "a\r\n\tSet-Cookie: x=1",
      "a\0b",
      "\xff\xfe",
      "a\r\nX-Request-Id: b",
    ]) {
      const text = await answerTo(Number(port), value);
      expect([value, text]).not.toEqual([value, expect.stringMatching(/^set-cookie:/im)]);
      expect(text.match(/^HTTP\/1\.1 /gm)?.length ?? 0).toBeLessThanOrEqual(1);
      const told = /^x-request-id: (.*)\r$/im.exec(text)?.[1];
      if (told !== undefined) expect(told).toMatch(OWN_ID);
    }
    expect((await served.http.ask("/healthz")).status).toBe(200);
    for (const { correlation_id = "none" } of logEntries(served.bench, "holt"))
      expect(correlation_id).toMatch(/^[\w.:-]{1,128}$/);
  });
});

/** All that is answered to a request with this header, until the connection is closed. */
function answerTo(port: number, value: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const head = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nX-Request-Id: ${value}\r\n\r\n`;
    socket.on("data", (bytes) => (text += bytes.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.end(Buffer.from(head, "latin1"));
  });
}
