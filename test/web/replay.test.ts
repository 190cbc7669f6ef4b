/**
 * What a client sees first, as it asks: the screen, the last bytes, or nothing. A client of the seed's asked for `replay=raw` and got a rebuilt screen; and each time its
 * window was resized it got the history again and wrote it below what it had.
 */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { RawWeb, requestOf, UPGRADE } from "./raw-web.ts";
import { sharedWeb } from "./served.ts";

const KEPT = 200;
const web = sharedWeb(`pty.scrollback_bytes = ${KEPT}`);

/** Many lines, colours, a clipboard write that no viewer gets, and an end that is no line. */
const PRINTS = [
  "bash",
  "-c",
  "stty -echo; seq 1000 1200; printf '\\e[31mred\\e[0m\\e]52;c;c3RvbGVu\\a\\n$ ready'; while read -r x; do echo got $x; done",
];
const STOLEN = "\x1b]52;c;c3RvbGVu\x07";
const FORMS = [
  ["JSON", false],
  ["holt.v1.binary", true],
] as const;

describe.each(FORMS)("in %s", (_, isBinary) => {
  test("replay=raw: the last scrollback_bytes, from the beginning of a line on, then what follows, no byte missing or twice", async () => {
    const served = web();
    const id = await served.start(PRINTS);
    const before = served.bench.output(id);
    // A history goes as far as the index, which follows the output by some milliseconds.
    await until("all of it is indexed", async () => {
      const { next_cursor } = await served.client.call("session.read", { session_id: id, cursor: "0" });
      return next_cursor === String(before.length);
    });
    const expected = before.subarray(before.indexOf("\n", before.length - KEPT) + 1).toString();
    const terminal = await served.attach(id, { isBinary, query: { replay: "raw", cols: "70", rows: "20" } });
    expect(await terminal.hears("history")).toMatchObject({ cursor: String(before.length) });
    await terminal.sees("ready");
    expect(terminal.text).toBe(expected.replace(STOLEN, ""));
    expect(terminal.text.length).toBeGreaterThan(KEPT - STOLEN.length - 6);
    terminal.type("this\r");
    await terminal.sees("got this");
    expect(terminal.output.toString()).toBe("got this\r\n");
    await served.client.call("session.kill", { session_id: id });
    await terminal.hears("exit");
    const late = await served.attach(id, { isBinary, query: { replay: "raw" } });
    await late.hears("exit");
    expect(late.text).toEndWith("$ readygot this\r\n");
    expect(late.text).toStartWith("11");
  });

  test("replay=none: nothing of what was, and all that follows", async () => {
    const served = web();
    const id = await served.start(PRINTS);
    const end = String(served.bench.output(id).length);
    const terminal = await served.attach(id, { isBinary, query: { replay: "none" } });
    expect(await terminal.hears("history")).toMatchObject({ cursor: end });
    terminal.type("this\r");
    await terminal.sees("got this");
    expect(terminal.text).toBe("got this\r\n");
    await served.client.call("session.kill", { session_id: id });
    const late = await served.attach(id, { isBinary, query: { replay: "none" } });
    await late.hears("exit");
    expect(late.text).toBe("");
  });
});

test.each(["screen", "raw", "none"])(
  "in JSON the history comes once, however often a client of replay=%s is resized",
  async (replay) => {
    const served = web();
    const id = await served.start(PRINTS);
    const terminal = await served.attach(id, { query: { replay, cols: "80", rows: "24" } });
    for (const cols of [90, 100, 110]) {
      terminal.resize(cols, 30);
      await until("it is told the size", () => terminal.of("redrawn").some((told) => told.cols === cols));
    }
    expect(terminal.of("history")).toHaveLength(1);
  },
);

test("an unknown replay is refused with 400 and the list of replays", async () => {
  const served = web();
  const id = await served.start(PRINTS);
  using client = await RawWeb.dial({ port: served.port });
  const headers = { Host: served.host, Authorization: `Bearer ${served.ownerToken}`, ...UPGRADE };
  client.write(requestOf(`GET /api/v1/pty/sessions/${id}/attach?replay=all`, headers));
  const answer = await client.answer();
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body).error).toMatchObject({
    code: "EBADARGS",
    message: 'invalid replay: "all"',
    hint: "use one of screen, raw, none",
  });
});
