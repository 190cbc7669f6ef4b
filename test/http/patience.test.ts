/** A call may take its time, and so may who listens. Who sends a request slowly may not. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { servedThroughout } from "./served.ts";

const served = servedThroughout();
/** Longer than a connection may be silent that owes something. */
const LONG_MS = 13_000;

/** Whoever had a key could send a body for minutes; a call of more than four was cut off. */
test("Slow answers come, a stream that says nothing stays, and a request that does not come is let go.", async () => {
  const { http } = served;
  await http.post("/api/v1/session/start", { session_id: "silent", argv: ["cat"] });
  const waiting = http.post("/api/v1/session/wait", {
    session_id: "silent",
    until: [{ match: "never" }],
    timeout_ms: LONG_MS,
  });
  const listener = await listening();
  const slow = [slowRequest(http.token), slowRequest("wrong")];

  expect(await waiting).toMatchObject({ status: 200, body: { data: { outcome: "timeout" } } });
  await http.post("/api/v1/sessions/silent/input", { text: "x\r" });
  await until("who listens is told", () => listener.told.length > 0);
  await listener.client.close();
  await Promise.all(slow);
}, 40_000);

async function listening(): Promise<{ client: Client; told: string[] }> {
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const told: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
  const requestInit = { headers: { authorization: `Bearer ${served.http.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.http.origin}/mcp`), { requestInit }));
  await client.listen({ resourceSubscriptions: ["holt://sessions/silent/output"] });
  return { client, told };
}

/** Resolves when it is let go. */
function slowRequest(token: string): Promise<void> {
  const { hostname, port, host } = new URL(served.http.origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/v1/session/list HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      ),
    );
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}

test("A caller that goes away takes its command along.", async () => {
  const gone = new AbortController();
  const call = { session_id: "left", args: ["sleep", "600"] };
  const running = failure(served.http.post("/api/v1/exec/run", call, { signal: gone.signal }));
  const { bench } = served;
  await until("it runs", () => bench.started().includes("left") && bench.meta("left").process !== null);
  const { process: command } = bench.meta("left");
  gone.abort();
  await running;
  await until("its command has ended", () => !isAlive(command?.pid ?? 0));
});
