import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { ERAS, HOLT } from "./connect.ts";

describe.each(ERAS)("sessions as resources, %s era:", (era) => {
  let bench: Bench;
  let client: Client;
  const updated: string[] = [];
  let listChanges = 0;
  let wake = (): void => {};

  beforeAll(async () => {
    bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const [command, ...args] = HOLT;
    const env = { ...bench.env };
    const transport = new StdioClientTransport({ command, args: [...args, "mcp", "--tools", "all"], env });
    const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
    client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => {
      updated.push(uri);
      wake();
    });
    client.setNotificationHandler("notifications/resources/list_changed", () => {
      listChanges++;
      wake();
    });
    await client.connect(transport);
  });
  afterAll(async () => {
    await client.close();
    await end(bench);
    bench[Symbol.dispose]();
  });

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }

  test("can be listed, read, and subscribed to: who subscribes is told of more, and others of nothing", async () => {
    using daemon = await dial(bench);
    const start = (session_id: string) =>
      daemon.call("session.start", { session_id, argv: ["sh", "-c", "echo ready; cat"], pty: { cols: 40, rows: 5 } });
    await start("watched");
    await start("other");
    await daemon.call("session.wait", { session_id: "watched", cursor: "0", until: [{ match: "ready" }] });

    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "holt://sessions/{id}/output",
      "holt://sessions/{id}/screen",
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("holt://sessions/watched/output");
    const uri = "holt://sessions/watched/output";
    const screen = "holt://sessions/watched/screen";
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: "ready\n" }] });
    expect(await client.readResource({ uri: screen })).toMatchObject({
      contents: [{ text: expect.stringContaining("ready") }],
    });

    if (era === "legacy") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
    // Both print; one is subscribed to.
    for (const session_id of ["other", "watched"]) await daemon.call("session.send", { session_id, text: "hello\n" });
    await until(() => updated.length > 0);
    expect(new Set(updated)).toEqual(new Set([uri]));
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ text: "ready\nhello\nhello\n" }] });

    const before = listChanges;
    await daemon.call("session.start", { session_id: "third", argv: ["true"] });
    await until(() => listChanges > before);
    updated.length = 0;
    await daemon.call("session.kill", { session_id: "watched" });
    await until(() => updated.length > 0); // its end is news too
  });

  test("of one that is not there say so", async () => {
    const read = client.readResource({ uri: "holt://sessions/nosuch/output" });
    expect(await read.catch((error: unknown) => String(error))).toContain("session not found: nosuch");
  });
});
