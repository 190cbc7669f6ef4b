/** Somebody hostile at the port, and others who are answered all the while. */
import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { anotherAddress, RawWeb, UPGRADE } from "../web/raw-web.ts";
import { ECHO, type Served } from "../web/served.ts";
import { privateMemory } from "./processes.ts";
import { until } from "./size.ts";

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** While it goes on, others are answered, on the daemon's own socket and over HTTP, and a session is typed into; after it, all is as it was. */
export async function harmless(served: Served, work: (id: string) => Promise<void>): Promise<void> {
  const pid = served.bench.daemonPid ?? 0;
  const id = await served.start(ECHO, { max_clients: 64 });
  const witness = await served.attach(id);
  await witness.hears("history");
  await served.call("health.info", {}); // whatever is loaded with the first
  const before = { descriptors: descriptors(pid), memory: privateMemory(pid) };
  const over = new AbortController();
  let answered = 0;
  const asking = (async () => {
    while (!over.signal.aborted) {
      expect((await served.client.call("health.info", {})).pid).toBe(pid);
      expect((await served.call("health.info", {})).status).toBe(200);
      witness.type(`${++answered}\r`);
      await witness.sees(`got ${answered}\r\n`);
      await Bun.sleep(5);
    }
  })();
  try {
    await work(id);
  } finally {
    over.abort();
    await asking;
  }
  expect(answered).toBeGreaterThan(0);
  expect(served.bench.daemonPid).toBe(pid);
  await until("its descriptors are as many as before", () => descriptors(pid) <= before.descriptors + 4, 60_000);
  await until("it is no larger", () => privateMemory(pid) < before.memory + 128 * 1024, 60_000);
  await served.client.call("session.kill", { session_id: id });
}

export const head = (served: Served, first: string, more: Record<string, string> = {}): Record<string, string> => ({
  Host: served.host,
  Authorization: `Bearer ${served.ownerToken}`,
  "Content-Type": "application/json",
  ...more,
  ...(first === "" ? UPGRADE : {}),
});

export async function status(served: Served, bytes: (string | Uint8Array)[]): Promise<number> {
  using client = await RawWeb.dial({ port: served.port, from: anotherAddress() });
  for (const part of bytes) client.write(part);
  return (await client.answer()).status;
}

export function posted(served: Served, path: string, body: Uint8Array | string): (string | Uint8Array)[] {
  const bytes = Buffer.from(body);
  const lines = Object.entries(head(served, "x", { "Content-Length": String(bytes.length) }));
  return [`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`, bytes];
}
