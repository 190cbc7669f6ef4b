import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { StateDir } from "../client/sessions.ts";
import { SmallHolder } from "../client/small-holder.ts";
import { environment, ERAS, HOLT } from "./connect.ts";

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
    // A second one comes later than any that the other session would have had, which printed first.
    await daemon.call("session.send", { session_id: "watched", text: "again\n" });
    await until(() => updated.length > 1);
    expect(new Set(updated)).toEqual(new Set([uri]));
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ text: "ready\nhello\nhello\nagain\nagain\n" }],
    });

    let before = listChanges;
    await daemon.call("session.start", { session_id: "third", argv: ["true"] });
    // One that was on its way already may come first: after the last of them the list has it.
    for (let isListed = false; !isListed; before = listChanges) {
      await until(() => listChanges > before);
      const listed = await client.listResources();
      isListed = listed.resources.some((each) => each.uri === "holt://sessions/third/output");
    }
    updated.length = 0;
    await daemon.call("session.kill", { session_id: "watched" });
    await until(() => updated.length > 0); // its end is news too
  });

  test("of one that is not there say so", async () => {
    for (const part of ["output", "screen"]) {
      const uri = `holt://sessions/nosuch/${part}`;
      const error: unknown = await client.readResource({ uri }).catch((failure: unknown) => failure);
      expect(error).toMatchObject({
        code: -32602,
        data: { uri },
        message: expect.stringContaining("session not found"),
      });
    }
  });

  /** Whoever listened in the newer era was followed until the session ended, also when he had long stopped. */
  test("are followed as long as somebody asks for them", async () => {
    using state = new StateDir();
    using holder = new SmallHolder(state, "run");
    const [command, ...args] = HOLT;
    const env = environment(state);
    const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
    const other = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await other.connect(new StdioClientTransport({ command, args: [...args, "mcp"], env }));
    const uri = "holt://sessions/run/output";
    try {
      if (era === "legacy") {
        await other.subscribeResource({ uri });
        await holder.hasFollowers(1);
        await other.unsubscribeResource({ uri });
      } else {
        const one = await other.listen({ resourceSubscriptions: [uri] });
        const two = await other.listen({ resourceSubscriptions: [uri] });
        await holder.hasFollowers(1);
        await one.close();
        await other.listTools(); // what was said before it has been heard
        expect(holder.followers).toBe(1);
        await two.close();
      }
      await holder.hasConnections(0);
    } finally {
      await other.close();
    }
  });
});
