/** What a key opened at /mcp ends with it, and what a client listens to is followed while it does. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { until } from "../chaos/size.ts";
import { socketsOf } from "../support/sockets.ts";
import { pageKey, ServedBench } from "./served.ts";

const URI = "holt://sessions/watched/output";

interface Stream {
  /** What was asked. */
  headers: Headers;
  body: string;
  isOver: boolean;
  text: string;
}

/** A client of the newer era that listens, and the answers that it is given for it, as they come. */
class Listening implements AsyncDisposable {
  readonly client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  readonly streams: Stream[] = [];
  readonly #url: URL;

  constructor(origin: string) {
    this.#url = new URL(`${origin}/mcp`);
  }

  async listen(token: string): Promise<Stream> {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const fetched = async (url: string | URL, init: RequestInit = {}) => this.#fetch(url, init);
    await this.client.connect(new StreamableHTTPClientTransport(this.#url, { requestInit, fetch: fetched }));
    await this.client.listen({ resourceSubscriptions: [URI] });
    const [stream] = this.streams;
    if (stream === undefined) throw new Error("it does not listen");
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }

  async #fetch(url: string | URL, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const body = typeof init.body === "string" ? init.body : "";
    if (response.body === null || !body.includes("subscriptions/listen")) return response;
    const [own, theirs] = response.body.tee();
    const stream: Stream = { headers: new Headers(init.headers), body, isOver: false, text: "" };
    this.streams.push(stream);
    void (async () => {
      try {
        for await (const bytes of own) stream.text += new TextDecoder().decode(bytes);
      } catch {
        // closed by us
      }
      stream.isOver = true;
    })();
    return new Response(theirs, response);
  }
}

async function watched(): Promise<ServedBench> {
  const served = await ServedBench.open();
  await served.http.post("/api/v1/session/start", { session_id: "watched", argv: ["cat"] });
  return served;
}

/** Found in review: a page's key was taken back, and what listened with it was told of every session's output all the same. */
test("A stream of MCP ends with its key: taken back, or the owner's when it is replaced; what another opened goes on.", async () => {
  await using served = await watched();
  const { http, bench } = served;
  const { token, token_id } = await pageKey(served);
  await using page = new Listening(http.origin);
  await using owner = new Listening(http.origin);
  const [ofPage, ofOwner] = [await page.listen(token), await owner.listen(http.token)];
  expect(await http.post("/api/v1/token/revoke", { token_id })).toMatchObject({ body: { data: { revoked: true } } });
  await until("its stream is over", () => ofPage.isOver);
  const before = ofPage.text;
  await http.post("/api/v1/sessions/watched/input", { text: "x\r" });
  await until("the other is told", () => ofOwner.text.includes("resources/updated"));
  expect([ofOwner.isOver, ofPage.text]).toEqual([false, before]);
  writeFileSync(join(bench.state, "owner-token"), `${"o".repeat(43)}\n`);
  await until("the owner's is over", () => ofOwner.isOver);
});

test("A tool's call is given up when its key is taken back.", async () => {
  await using served = await watched();
  const { http } = served;
  const { token, token_id } = await pageKey(served);
  const waiting = { session_id: "watched", until: [{ match: "no such thing" }], timeout_ms: 40_000 };
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "session_wait", arguments: waiting },
  };
  const headers = { accept: "application/json, text/event-stream" };
  const { pid } = served.bench.meta("watched").holder;
  const idle = socketsOf(pid);
  const leave = AbortSignal.timeout(20_000);
  const told = http.post("/mcp?tools=all", message, { token, headers, signal: leave });
  await until("it waits", () => socketsOf(pid) > idle);
  await http.post("/api/v1/token/revoke", { token_id });
  const { status, text } = await told;
  expect({ status, text }).not.toMatchObject({ text: expect.stringContaining("timeout") });
  expect([200, 401]).toContain(status); // 200 where its stream had begun
});

/** Found in review: what was asked for was followed before anybody had said yes, and never let go of, as such a request is not aborted. */
test("What is refused is not followed, and what was listened to is let go of at its end.", async () => {
  await using served = await watched();
  const { http, bench } = served;
  const { token, token_id } = await pageKey(served);
  // Who follows a session is connected to its holder.
  const { pid } = bench.meta("watched").holder;
  const idle = socketsOf(pid);
  await using listening = new Listening(http.origin);
  const { headers, body } = await listening.listen(token);
  await until("it is followed", () => socketsOf(pid) > idle);
  const asked = JSON.parse(body) as { params: { notifications: Record<string, unknown> } };
  asked.params.notifications["toolsListChanged"] = "perhaps";
  headers.set("authorization", `Bearer ${http.token}`);
  const refused = await fetch(`${http.origin}/mcp`, { method: "POST", headers, body: JSON.stringify(asked) });
  expect(await refused.json()).toMatchObject({ error: { code: -32602 } });
  await http.post("/api/v1/token/revoke", { token_id });
  await until("it is followed no more", () => socketsOf(pid) === idle);
});
