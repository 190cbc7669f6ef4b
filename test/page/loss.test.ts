// Silent failures: a stalled network, a replaced flood, an invalid answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { Visit } from "./visit.ts";
import { callIn, failing, tapped, type Wire } from "./wires.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

function frame(type: number, ...parts: Uint8Array[]): Buffer {
  return Buffer.concat([Uint8Array.of(type), ...parts]);
}

function outputFrame(text: string): Buffer {
  return frame(ATTACH_FRAME.output, new Uint8Array(8), Buffer.from(text));
}

describe("a stalled connection", () => {
  // The page gave up its connection after 15 s and then checked its key without a deadline; a
  // terminal's connection was never given up, and input was lost.
  test("a silent daemon is reported, with a note that input is not sent, and all continues once it answers", async () => {
    await visit.start(["--name", "silent"], ["cat"]);
    await using tab = await visit.home();
    await tab.open("silent");
    await tab.run("before");
    await tab.shows(/before\n+before/);
    const pid = visit.bench.daemonPid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      const timeout = 25_000;
      await tab.page.locator(".offline", { hasText: "What you type now is not sent" }).waitFor({ timeout });
      expect(await tab.page.locator(".banner").count()).toBe(0);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await tab.page.locator(".offline").waitFor({ state: "detached", timeout: 30_000 });
    await tab.page.locator(".banner").waitFor({ state: "detached", timeout: 30_000 });
    await tab.run("after it");
    await tab.shows(/after it\n+after it/);
    expect((await tab.text()).match(/^before$/gm)).toHaveLength(2);
  });
});

describe("a flood", () => {
  // The terminal had paused the sender; a new screen emptied the queue, and the sender was never
  // resumed.
  test("replaced by the current screen leaves the terminal working", async () => {
    await visit.start(["--name", "flooded"], ["cat"]);
    await using tab = await visit.home();
    const said: string[] = [];
    const { promise, resolve: opened } = Promise.withResolvers<Wire>();
    await tapped(tab.page, /\/attach\?/, {
      opened,
      said: (message) => {
        if (typeof message === "string") said.push((JSON.parse(message) as { type: string }).type);
        return "passed";
      },
    });
    const holds = (): string[] => said.filter((type) => type !== "ping");
    await tab.open("flooded");
    await tab.run("here");
    await tab.shows(/here\n+here/);
    const wire = await promise;
    // No frame is drawn: the flood waits, and is not drawn away before it is replaced.
    await tab.page.evaluate(
      `globalThis.held = []; globalThis.drawn = requestAnimationFrame; requestAnimationFrame = (act) => held.push(act)`,
    );
    const flood = outputFrame(`${"flood ".repeat(20_000)}\r\n`);
    // What comes slowly, on a busy machine, is read away as it comes: then once more.
    for (let floods = 0; holds().length === 0 && floods < 20; floods++) {
      for (let sent = 0; sent < 12; sent++) wire.send(flood);
      const deadline = performance.now() + 2000;
      while (holds().length === 0 && performance.now() < deadline) await Bun.sleep(10);
    }
    expect(holds()).toEqual(["pause"]);
    const screen = Buffer.from("as it is now\r\n");
    const head = { cursor: "0", cols: 80, rows: 24, title: "", modes: {}, bytes: screen.length };
    wire.send(frame(ATTACH_FRAME.replay, Buffer.from(JSON.stringify(head))));
    wire.send(frame(ATTACH_FRAME.replayData, screen));
    // Nothing follows by itself: whoever sends waits to be told.
    await tab.page.evaluate(`requestAnimationFrame = drawn; for (const act of held) requestAnimationFrame(act)`);
    await tab.shows("as it is now");
    for (const deadline = performance.now() + 10_000; holds().length < 2; await Bun.sleep(10))
      if (performance.now() > deadline) break;
    expect(holds()).toEqual(["pause", "resume"]);
    wire.send(outputFrame("and goes on\r\n"));
    await tab.shows("and goes on");
  });
});

describe("failures", () => {
  test("a failed removal leaves the session in the list", async () => {
    // It was hidden until the page was loaded again.
    const id = await visit.start(["--name", "kept"], ["true"]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tapped(tab.page, /\/rpc/, {
      said: (message, wire) => {
        const call = callIn(message);
        if (call?.method !== "session.remove") return "passed";
        wire.send(failing(call.id, "EIO"));
        return "taken";
      },
    });
    await tab.open("kept");
    await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
    await tab.page.getByRole("menuitem", { name: "Remove" }).click();
    await tab.row("kept").waitFor({ state: "detached" });
    await tab.page.locator(".toast", { hasText: "Removed kept" }).getByRole("button", { name: "Dismiss" }).click();
    await tab.page.locator(".toast.bad", { hasText: "it did not work" }).waitFor();
    await tab.row("kept").waitFor();
  });

  test("a failed session.get does not remove the session", async () => {
    // Whatever went wrong, the session was taken from the page, with its terminal.
    await visit.start(["--name", "there"], ["cat"]);
    await using tab = await visit.home();
    const heard = { looks: 0, watched: 0 };
    await tapped(tab.page, /\/rpc/, {
      said: (message, wire) => {
        const call = callIn(message);
        if (call?.method === "session.activity" && heard.looks > 0) heard.watched++;
        if (call?.method !== "session.get") return "passed";
        wire.send(failing(call.id, "EIO"));
        heard.looks++;
        return "taken";
      },
    });
    await tab.open("there");
    await tab.page.evaluate(`document.querySelector(".live").dataset.same = "yes"`);
    await tab.page.locator(".bar").getByRole("button", { name: "Details" }).click();
    while (heard.watched < 2) await Bun.sleep(20);
    expect(await tab.page.evaluate<string>(`document.querySelector(".live")?.dataset.same ?? "another"`)).toBe("yes");
  });

  test("a proxy without its daemon does not use up a link", async () => {
    // Any answer but a good one threw the ticket away, which would have opened the page a moment later.
    const link = await visit.link();
    const [origin = ""] = link.split("#");
    await using tab = await visit.tab({ link: origin });
    await tab.page.getByRole("heading", { name: "This tab has no key" }).waitFor();
    await tab.page.route("**/api/v1/web/session", (route) => route.fulfill({ status: 503, body: "try later" }));
    await tab.page.goto(link);
    await tab.page.reload();
    await tab.page.getByRole("heading", { name: "holt does not answer" }).waitFor();
    expect(tab.page.url()).toBe(link);
    await tab.page.unroute("**/api/v1/web/session");
    await tab.page.getByRole("button", { name: "Try again" }).click();
    await tab.page.locator(".rail").waitFor();
  });
});
