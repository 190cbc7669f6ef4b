/** Found by a reviewer: who said goodbye and went on talking was counted no more, and stayed for half a minute: one link, or none at all, had all 2,000 sockets. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { ECHO, sharedWeb } from "./served.ts";

const web = sharedWeb("http.rate = 100000");

describe("who was hung up on and does not go", () => {
  const talking = (clients: RawWeb[]): Disposable => {
    const timer = setInterval(() => clients.forEach((client) => client.say({ type: "ping" })), 100);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  };

  test("has a place among the sockets of its key", async () => {
    const served = web();
    const id = await served.start(ECHO, { max_clients: 64 });
    const token = await served.token(id, "viewer");
    const clients: RawWeb[] = [];
    using _talking = talking(clients);
    for (let number = 0; number < 32; number++) {
      const client = await RawWeb.dial({ port: served.port });
      client.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach`, { Host: served.host, ...UPGRADE }));
      expect((await client.answer()).status).toBe(101);
      client.say({ type: "attach", token });
      await until("it is attached", () => client.received.includes("history"));
      client.say({ type: "detach" });
      clients.push(client);
    }
    const late = await served.attach(id, { token: null });
    late.say({ type: "attach", token });
    expect(await late.hears("error")).toMatchObject({ code: "ERLIMIT" });
    for (const client of clients) client[Symbol.dispose]();
  });

  test("has one among those without a key", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const clients: RawWeb[] = [];
    const open = (): number => clients.filter(({ isClosed }) => !isClosed).length;
    using _talking = talking(clients);
    for (let number = 0; number < 60; number++) {
      const client = await RawWeb.dial({ port: served.port });
      client.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach`, { Host: served.host, ...UPGRADE }));
      if ((await client.answer()).status === 101) {
        client.say({ type: "detach" });
        clients.push(client);
      } else client[Symbol.dispose]();
      await until("no more than sixteen are open", () => open() <= 16, 1000);
    }
    expect(clients.length).toBeGreaterThanOrEqual(16);
    for (const client of clients) client[Symbol.dispose]();
  });
});
