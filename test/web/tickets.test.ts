/** Tickets: what a browser comes with, once. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { areClosed, areOpen, doors } from "./doors.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { ECHO, sharedWeb } from "./served.ts";

const web = sharedWeb("http.rate = 100000");

describe("A ticket", () => {
  test("opens once, also when many ask at the same moment", async () => {
    const served = web();
    const { ticket } = await served.client.call("web.ticket", {});
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => served.post("/api/v1/web/session", { ticket }, null)),
    );
    expect(
      answers
        .map(({ status }) => String(status))
        .toSorted()
        .join(" "),
    ).toBe("200 401 401 401 401");
    const token = String(answers.find(({ status }) => status === 200)?.body.data?.["token"]);
    expect((await served.call("health.info", {}, token)).status).toBe(200);
  });

  test("ends unused after 60 seconds, or when it says; what it is exchanged for ends as well", async () => {
    const served = web();
    const before = Date.now();
    const usual = await served.client.call("web.ticket", {});
    const left = Date.parse(usual.expires_at) - before;
    expect(left).toBeGreaterThanOrEqual(60_000);
    expect(left).toBeLessThan(120_000);
    const short = await served.client.call("web.ticket", { expires_in_seconds: 1 });
    await until("it has ended", () => Date.now() > Date.parse(short.expires_at));
    expect((await served.post("/api/v1/web/session", { ticket: short.ticket }, null)).status).toBe(401);
    const { ticket } = await served.client.call("web.ticket", { grants_seconds: 1 });
    const { data } = (await served.post("/api/v1/web/session", { ticket }, null)).body;
    expect((await served.call("health.info", {}, String(data?.["token"]))).status).toBe(200);
    await until("it has ended", () => Date.now() > Date.parse(String(data?.["expires_at"])));
    expect((await served.call("health.info", {}, String(data?.["token"]))).status).toBe(401);
  });

  /** Found here: each left a key behind that nobody had the secret of, for a week; ten thousand of them, and no other could be made. */
  test("in the address of a WebSocket opens that one; nothing is left of it, and it can still be taken back", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const { ticket, token_id } = await served.client.call("web.ticket", { session_id: id, role: "driver" });
    const terminal = await served.attach(id, { token: null, query: { ticket } });
    await terminal.sees("ready");
    terminal.type("hello\r");
    await terminal.sees("got hello");
    expect((await served.client.call("token.list", { session_id: id })).tokens).toEqual([]);
    const again = await served.attach(id, { token: null, query: { ticket } });
    expect(again.closedWith).toBe(1006);
    expect(await served.client.call("token.revoke", { token_id })).toEqual({ revoked: true });
    expect(await terminal.isClosed()).toBe(4401);
    expect(await served.client.call("token.revoke", { token_id })).toEqual({ revoked: false });
    expect(await served.client.call("token.revoke", { token_id: "owner" })).toEqual({ revoked: false });
  });

  /** It was used up by whatever was said to it: to try again, as it was told, was to be refused. */
  test("is not used up by a request that is refused", async () => {
    const served = web();
    const id = await served.start(ECHO, { max_clients: 1 });
    const there = await served.attach(id);
    await there.sees("ready");
    const { ticket } = await served.client.call("web.ticket", { session_id: id, role: "viewer" });
    const asked = async (headers: Record<string, string | null>): Promise<number> => {
      using client = await RawWeb.dial({ port: served.port });
      client.write(
        requestOf(`GET /api/v1/pty/sessions/${id}/attach?ticket=${ticket}`, { Host: served.host, ...headers }),
      );
      return (await client.answer()).status;
    };
    expect(await asked(UPGRADE)).toBe(429);
    expect(await asked({ ...UPGRADE, "Sec-WebSocket-Protocol": "other" })).toBe(400);
    there.close();
    await until(
      "there is room",
      async () => (await served.client.call("session.clients", { session_id: id })).clients.length === 0,
    );
    expect(await asked({ ...UPGRADE, "Sec-WebSocket-Key": null })).toBe(400);
    expect(await asked({ ...UPGRADE, "Sec-WebSocket-Version": "8" })).toBe(400);
    await until("it comes in", async () => (await asked(UPGRADE)) === 101);
    expect(await asked(UPGRADE)).toBe(401);
  });

  test("that was exchanged is taken back by the same id, with what came in by it", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const { ticket, token_id } = await served.client.call("web.ticket", { session_id: id, role: "viewer" });
    const { data } = (await served.post("/api/v1/web/session", { ticket }, null)).body;
    const open = doors(served, id, String(data?.["token"]));
    await areOpen(open);
    await served.client.call("token.revoke", { token_id });
    expect(await areClosed(open)).toEqual([4401, 4401, 4401]);
    expect((await served.call("session.get", { session_id: id }, String(data?.["token"]))).status).toBe(401);
  });
});
