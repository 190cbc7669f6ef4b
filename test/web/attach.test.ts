/** A terminal over WebSocket, in both forms: what comes first, what everybody sees, what a viewer cannot do, and how it ends. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { ECHO, sharedWeb } from "./served.ts";

const web = sharedWeb();

const FORMS = [
  { name: "JSON", isBinary: false },
  { name: "holt.v1.binary", isBinary: true },
];

describe.each(FORMS)("in $name", ({ isBinary }) => {
  test("the history comes first, then what is typed is answered, a resize reaches the program, and its end is told", async () => {
    const served = web();
    const id = await served.start([
      "bash",
      "-c",
      "stty -echo; echo ready; read x; echo got $x; read y; stty size; read z; exit 7",
    ]);
    const terminal = await served.attach(id, { isBinary, query: { cols: "80", rows: "24" } });
    const history = await terminal.hears("history");
    expect(history).toMatchObject({ cols: 80, rows: 24, modes: { alternate_screen: false }, title: "" });
    await terminal.sees("ready"); // in binary its bytes come after it
    expect(terminal.told.indexOf(history)).toBe(0);
    expect(terminal.protocol).toBe(isBinary ? "holt.v1.binary" : "holt.v1.json");
    terminal.type("hello\r");
    await terminal.sees("got hello");
    terminal.resize(100, 30);
    await until("it is drawn in that size", () => terminal.of("redrawn").some(({ cols }) => cols === 100));
    terminal.type("\r");
    await terminal.sees("30 100");
    terminal.type("\r");
    expect(await terminal.hears("exit")).toMatchObject({ code: 7, signal: null, state: "exited" });
    expect(await terminal.isClosed()).toBe(1000);
    expect(terminal.told.at(-1)?.type).toBe("exit");
  });

  test("what has ended shows its last screen, and how it ended; from a cursor on, what was not seen", async () => {
    const served = web();
    const id = await served.start([
      "bash",
      "-c",
      "echo first; echo ready; printf '\\e]52;c;c3RvbGVu\\a'; echo last; exit 3",
    ]);
    await served.client.call("session.wait", { session_id: id, until: ["exit"] });
    const late = await served.attach(id, { isBinary });
    expect(await late.hears("exit")).toMatchObject({ code: 3, cursor: String(served.bench.output(id).length) });
    expect(late.text).toMatch(/first\s+ready\s+last/);
    expect(await late.isClosed()).toBe(1000);
    const resumed = await served.attach(id, { isBinary, query: { cursor: "7" } });
    await resumed.hears("exit");
    expect(resumed.of("history")).toMatchObject([{ cursor: "7" }]);
    expect(resumed.text).toBe("ready\r\nlast\r\n");
  });

  test("who says pause gets nothing until he says resume, and then all of it; others do not notice", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const [held, other] = [await served.attach(id, { isBinary }), await served.attach(id, { isBinary })];
    await held.sees("ready");
    const answered = async (pongs: number): Promise<void> => {
      held.say({ type: "ping" });
      await until("all that was said is heard", () => held.of("pong").length === pongs);
    };
    held.say({ type: "pause" });
    await answered(1);
    other.type("meanwhile\r");
    await other.sees("got meanwhile");
    await answered(2);
    expect(held.text).not.toContain("meanwhile");
    held.say({ type: "resume" });
    await held.sees("got meanwhile");
  });

  test("modes and the title are told when they change", async () => {
    const served = web();
    const id = await served.start([
      "bash",
      "-c",
      "echo ready; read x; printf '\\e[?2004h\\e[?1h\\e]2;a title\\a'; read y",
    ]);
    const terminal = await served.attach(id, { isBinary });
    await terminal.hears("history");
    terminal.type("\r");
    await until("it is told", () => terminal.of("mode_changed").some(({ title }) => title === "a title"));
    expect(terminal.of("mode_changed").at(-1)).toMatchObject({
      modes: { bracketed_paste: true, app_cursor_keys: true },
    });
  });

  test("who detaches is told so, and the session does not notice", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const terminal = await served.attach(id, { isBinary });
    await terminal.hears("history");
    if (isBinary) terminal.sendRaw(Uint8Array.of(26));
    else terminal.say({ type: "detach" });
    expect(await terminal.hears("detached")).toMatchObject({ reason: "asked" });
    expect(await terminal.isClosed()).toBe(1000);
    expect((await served.client.call("session.get", { session_id: id })).state).toBe("running");
    expect((await served.client.call("session.clients", { session_id: id })).clients).toEqual([]);
  });
});

test("one of another size sees the screen as it is, then the session has its size, and then what comes is of that", async () => {
  const served = web();
  const id = await served.start(["bash", "-c", "stty -echo; echo ready; while read x; do stty size; done"]);
  const terminal = await served.attach(id, { query: { cols: "60", rows: "20" } });
  await until("the size is its own", () => terminal.of("redrawn").length === 1);
  expect(terminal.of("history")).toMatchObject([{ cols: 80, rows: 24 }]);
  expect(terminal.of("redrawn")).toMatchObject([{ cols: 60, rows: 20 }]);
  terminal.type("\r");
  await terminal.sees("20 60");
  expect(terminal.output.toString()).toBe("20 60\r\n");
});

test("a ping is answered, whatever else goes on", async () => {
  const served = web();
  const terminal = await served.attach(await served.start(ECHO));
  terminal.say({ type: "ping" }); // also before it is attached
  await terminal.hears("pong");
  await terminal.hears("history");
});

test("all see the same bytes, in either form, and each what the others typed", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const clients = await Promise.all(
    [false, true, false, true].map((isBinary) => served.attach(id, { isBinary, query: { cursor: "0" } })),
  );
  for (const client of clients) await client.hears("history");
  for (const [number, client] of clients.entries()) {
    client.type(`from ${number} \xc3\r`);
    for (const other of clients) await other.sees(`got from ${number}`);
  }
  const kept = served.bench.output(id);
  await until("all have all", () => clients.every(({ bytes }) => bytes === kept.length));
  for (const { output } of clients) expect(output.equals(kept)).toBe(true);
});

describe("A viewer", () => {
  const WAYS = [
    { by: "a viewer's token", role: "viewer", query: {} },
    { by: "the owner's token and role=viewer", role: null, query: { role: "viewer" } },
    { by: "a driver's token and role=viewer", role: "driver", query: { role: "viewer" } },
  ] as const;
  test.each(WAYS)("by $by cannot type nor resize: nothing reaches the program", async ({ role, query }) => {
    const served = web();
    const id = await served.start(ECHO);
    const token = role === null ? served.ownerToken : await served.token(id, role);
    for (const isBinary of [false, true]) {
      const viewer = await served.attach(id, { token, query: { ...query, cols: "40", rows: "10" }, isBinary });
      viewer.type("before it is attached\r");
      await viewer.hears("history");
      viewer.type("nothing of this\r");
      viewer.resize(20, 5);
      await until("it is refused thrice", () => viewer.of("error").length === 3);
      expect(viewer.of("error").map(({ code }) => code)).toEqual(["EDENIED", "EDENIED", "EDENIED"]);
    }
    const driver = await served.attach(id);
    await driver.hears("history");
    driver.type("the end\r");
    await driver.sees("got the end");
    expect(served.bench.output(id).toString()).toBe("ready\r\ngot the end\r\n");
    expect(served.bench.events(id).filter(({ type }) => type === "resize")).toEqual([]);
    expect((await served.client.call("session.get", { session_id: id })).current_size).toEqual({
      cols: 80,
      rows: 24,
    });
  });

  // Found here: what was typed before the key was shown waited for it, and was then left out without a word.
  test("who shows the key later is told that what came before it was not typed", async () => {
    const served = web();
    const id = await served.start(ECHO);
    const viewer = await served.attach(id, { token: null });
    await until("it is open", () => viewer.isOpen);
    viewer.type("nothing of this\r");
    viewer.say({ type: "attach", token: await served.token(id, "viewer") });
    await viewer.hears("history");
    expect(await viewer.hears("error")).toMatchObject({ code: "EDENIED" });
    expect(served.bench.output(id).toString()).toBe("ready\r\n");
  });
});

test("a key in the first message opens as one in the request does; what was typed before it is typed then", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const terminal = await served.attach(id, { token: null });
  await until("it is open", () => terminal.isOpen);
  terminal.type("early\r");
  terminal.say({ type: "attach", token: await served.token(id, "driver"), session: id });
  await terminal.sees("got early");
});

/** Found here: a client of the seed's that names no size when it attaches has a terminal all the same, and its resize did nothing. */
test("who gave no size resizes by saying so", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const terminal = await served.attach(id);
  await terminal.hears("history");
  terminal.say({ type: "resize", cols: 132, rows: 43 });
  await until("it has that size", () => terminal.of("redrawn").some(({ cols, rows }) => cols === 132 && rows === 43));
  expect((await served.client.call("session.get", { session_id: id })).current_size).toEqual({ cols: 132, rows: 43 });
});

/** A program learns it from the status, as of any other limit; a browser does not show its page the status, and hears it as above. */
test("the ninth that shows its key in a header is answered with 429, and when to come again", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const eight = await Promise.all(Array.from({ length: 8 }, () => served.attach(id)));
  for (const each of eight) await each.hears("history");
  using ninth = await RawWeb.dial({ port: served.port });
  const headers = { Host: served.host, Authorization: `Bearer ${served.ownerToken}`, ...UPGRADE };
  ninth.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach`, headers));
  const answer = await ninth.answer();
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.body).toContain("ERLIMIT");
});

/**
 * Found here: `pause` said before the session's holder was reached paused nobody, and nothing after it did either: all that was printed was kept for a
 * client that read nothing, until the runtime left some of it out.
 */
test("who says pause with its first word is sent nothing until it says resume, and then no byte is missing", async () => {
  const served = web();
  const id = await served.start([
    "sh",
    "-c",
    "stty -echo; echo ready; read x; yes 0123456789 | head -c 8000000; echo done; cat",
  ]);
  const driver = await served.attach(id);
  await driver.hears("history");
  const held = await served.attach(id, { token: null, query: { cursor: "0" } });
  held.say({ type: "attach", token: served.ownerToken });
  held.say({ type: "pause" });
  driver.type("\r");
  await driver.sees("done");
  expect(held.bytes).toBeLessThan(4_000_000);
  held.say({ type: "resume" });
  const kept = served.bench.output(id);
  await until("it has it all", () => held.bytes >= kept.length);
  expect(held.output.equals(kept)).toBe(true);
});

test("the ninth is told that as many are attached as may be", async () => {
  const served = web();
  const id = await served.start(ECHO);
  const eight = await Promise.all(Array.from({ length: 8 }, () => served.attach(id)));
  for (const each of eight) await each.hears("history");
  const ninth = await served.attach(id);
  expect(await ninth.hears("error")).toMatchObject({ code: "ERLIMIT" });
  expect(await ninth.isClosed()).toBe(1008);
  eight[0]?.close();
  await until("there is a place", async () => {
    const { clients } = await served.client.call("session.clients", { session_id: id });
    return clients.length === 7;
  });
  await (await served.attach(id)).hears("history");
});
