// A session's terminal on the page in a real browser: input and display.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AttachedPanes } from "../compare/attached-panes.ts";
import { type Cell, cellsOfTmux } from "./dom-cells.ts";
import { ROWS } from "./rows.ts";
import type { Tab } from "./tab.ts";
import { PHONE, Visit, WEBGL } from "./visit.ts";
import { HOLT } from "../support/holt.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

describe("a session", () => {
  test("is started from the page, takes input, and has the size of its area", async () => {
    await using tab = await visit.tab();
    await tab.page.locator(".empty").waitFor(); // nothing runs yet, and the page says what to do
    await tab.page.keyboard.press("n");
    await tab.page.getByLabel("Command").fill("bash --norc --noprofile -i");
    await tab.page.getByLabel("Name").fill("made-here");
    await tab.page.keyboard.press("Enter");
    await tab.open("made-here");
    await tab.shows(/[$#]/);
    await tab.run("echo typed on $((40 + 2)) keys");
    await tab.shows("typed on 42 keys");
    const before = await tab.cells();
    await tab.page.setViewportSize({ width: 800, height: 500 });
    await tab.until(`${ROWS}.length < ${before.length}`);
    await tab.run("stty size");
    await tab.shows(/^\d+ \d+$/m);
    const [rows = 0, cols = 0] = (/^(\d+) (\d+)$/m.exec(await tab.text()) ?? []).slice(1).map(Number);
    expect((await tab.cells()).length).toBe(rows);
    const [id = ""] = visit.bench.ids;
    expect(await visit.sizeOf(id)).toEqual({ cols, rows });
  });
});

describe("the page draws the same cells as tmux", () => {
  const VIM = [
    ..."vim -n -u NONE -N -i NONE -c".split(" "),
    "syntax on|set number hlsearch laststatus=2 ruler",
    "pages.c",
  ];

  async function beside(work: (panes: AttachedPanes, own: Visit) => Promise<void>): Promise<void> {
    await using panes = new AttachedPanes({ HOLT_NO_DAEMON: "" });
    const lines = Array.from(
      { length: 200 },
      (_, i) => `int line${i + 1} = ${i}; /* 日本 ${"─".repeat(i % 30)} */ "text"`,
    );
    writeFileSync(join(panes.bench.root, "pages.c"), `${lines.join("\n")}\n`);
    await using own = await Visit.begin({ bench: panes.bench });
    await work(panes, own);
  }

  /** Resolves when both are equal. */
  async function agree(tab: Tab, panes: AttachedPanes, pane: string): Promise<void> {
    const looks = async (): Promise<[Cell[][], Cell[][]]> => {
      const cells = await tab.cells();
      const size = { cols: 500, rows: cells.length };
      return [cells, cellsOfTmux(panes.captured(pane), size)];
    };
    for (let tries = 0; tries < 200; tries++) {
      const [page, tmux] = await looks();
      if (Bun.deepEquals(page, tmux)) return;
      await Bun.sleep(50);
    }
    const [page, tmux] = await looks();
    expect(told(page)).toEqual(told(tmux));
  }

  /** The rows that differ. */
  function told(cells: readonly Cell[][]): string[] {
    return cells.map((row) =>
      row.map(({ text, fg, bg, marks }) => `${text}${fg || bg || marks ? `{${fg}/${bg} ${marks}}` : ""}`).join(""),
    );
  }

  test("for vim and htop, with colours", async () => {
    await beside(async (panes, own) => {
      const edited = await own.start(["--name", "edit", "--size", "90x28"], VIM);
      await own.start(["--name", "top", "--size", "90x28"], ["htop", "-d", "1000"]);
      // One that watches has no say in the size: all are of that of the session.
      const tab = await own.tab({ link: await own.holt("share", edited) });
      await tab.shows("pages.c");
      panes.run("bare", { cols: 90, rows: 28 }, VIM);
      await panes.shows("bare", "pages.c");
      const steps: [keys: string, sign: string][] = [
        ["G", "200,1"],
        ["ityped here", "typed here"],
        ["\x1b", "200,10"],
        [":split\r", "189"],
        ["/line19\r", "continuing at TOP"],
      ];
      for (const [keys, sign] of steps) {
        await own.holt("send", "edit", "--text", keys);
        panes.keys("bare", "-l", keys);
        await tab.shows(sign);
        await panes.shows("bare", sign);
      }
      await agree(tab, panes, "bare");
      await tab.close();
      const top = await own.tab({ link: await own.holt("share", "top") });
      await top.shows("PID");
      panes.run("top", { cols: 90, rows: 28 }, [HOLT, "attach", "--read-only", "top"]);
      await panes.shows("top", "PID");
      await agree(top, panes, "top");
      await top.close();
    });
  });
});

describe("one session with several clients", () => {
  test("is the same in two tabs and on a phone, which does not change its size, and after a reload on the alternate screen", async () => {
    const id = await visit.start(["--name", "many", "--size", "100x30"], ["less", "--", "/etc/services"]);
    await using one = await visit.home();
    await one.open("many");
    await one.shows("services");
    const size = await visit.sizeOf(id);
    await using phone = await visit.home(PHONE);
    await phone.open("many");
    await using two = await visit.home();
    await two.open("many");
    await one.type("G");
    for (const tab of [one, two, phone]) await tab.shows("(END)");
    expect(await two.cells()).toEqual(await one.cells());
    expect(await phone.cells()).toEqual(await one.cells());
    expect(await visit.sizeOf(id)).toEqual(size);
    // Typed on the phone, with a key that its keyboard does not have.
    await phone.page.getByRole("toolbar").getByRole("button", { name: "Up" }).click();
    await phone.type("g");
    for (const tab of [one, two, phone]) await tab.shows("tcpmux");
    await one.page.reload();
    await one.shows("tcpmux");
    expect(await one.cells()).toEqual(await two.cells());
    expect(await visit.sizeOf(id)).toEqual(size);
    await one.type("q");
    await one.page.locator(".bar .state", { hasText: "exited 0" }).waitFor();
    await phone.page.locator(".bar .state", { hasText: "exited 0" }).waitFor();
  });
});

describe("with WebGL", () => {
  let own: Visit;
  beforeAll(async () => {
    own = await Visit.begin({ args: WEBGL });
  });
  afterAll(() => own[Symbol.asyncDispose]());

  // Scaled after drawing, letters lost rows of pixels: "foo" read "fco".
  test("a terminal larger than its area is drawn in a smaller font, pixel by pixel", async () => {
    const id = await own.start(["--name", "larger", "--size", "120x40"], ["echo", "foo"]);
    await own.holt("wait", id);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 1100, height: 700 },
      { width: 960, height: 640 },
    ]) {
      await using tab = await own.home({ viewport });
      await tab.open("larger");
      // Each pixel of the picture is one of the screen, and begins where one does.
      await tab.until(`(() => {
        const canvas = [...document.querySelectorAll(".live .xterm-screen canvas")].find((each) => each.className === "");
        const place = document.querySelector(".live .terminal").getBoundingClientRect();
        if (canvas === undefined) return false;
        const { x, y, width, height } = canvas.getBoundingClientRect();
        return canvas.width === width && canvas.height === height && Number.isInteger(x) && Number.isInteger(y) && width > 500 && width <= place.width && height <= place.height;
      })()`);
    }
  });

  test("the terminal is drawn by WebGL, and without it once it is lost", async () => {
    await own.start(["--name", "drawn"], ["sh", "-c", "echo drawn by whom; cat"]);
    await using tab = await own.home();
    await tab.open("drawn");
    const canvas = tab.terminal.locator("canvas").first();
    await canvas.waitFor();
    expect(await tab.text()).toBe("");
    await tab.page.evaluate(
      `for (const each of document.querySelectorAll("canvas")) each.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext()`,
    );
    await tab.shows("drawn by whom");
  });
});
