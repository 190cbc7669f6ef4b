// The timeline, playback and search.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Tab } from "./tab.ts";
import { Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

/** Resolves when the page has the commands. */
async function knows(tab: Tab, commands: number): Promise<void> {
  await tab.until(`document.querySelectorAll(".mark.command").length >= ${commands}`);
}

async function pressed(tab: Tab, key: string): Promise<void> {
  await tab.page.keyboard.press(key);
}

describe("the past of a session", () => {
  test("is shown by timeline, keys and command steps; End is live, and the session keeps its size", async () => {
    const id = await visit.shell("told");
    await using tab = await visit.home();
    await tab.open("told");
    for (const word of ["first", "second", "third"]) {
      await tab.run(`clear; echo the ${word} word`);
      await tab.shows(new RegExp(`^the ${word} word$`, "m"));
    }
    await knows(tab, 3);
    const size = await visit.call<{ current_size: object }>("session.get", { session_id: id });
    const track = tab.page.getByRole("slider", { name: "Moment" });
    const box = await track.boundingBox();
    if (box === null) throw new Error("there is no line");
    // To the very beginning by hand, where the terminal was empty.
    await tab.page.mouse.move(box.x + box.width - 40, box.y + 10);
    await tab.page.mouse.down();
    await tab.page.mouse.move(box.x - 5, box.y + 10, { steps: 5 });
    await tab.page.mouse.up();
    await tab.page.locator(".past:not(.away)").waitFor();
    await tab.until(`document.querySelector(".track").getAttribute("aria-valuenow") === "0"`);
    await tab.shows(/^\s*$/);
    // Command by command: at the start of each stands what the one before it printed.
    for (const word of ["first", "second"]) {
      await pressed(tab, "]");
      await pressed(tab, "]");
      await tab.shows(new RegExp(`^the ${word} word$`, "m"));
      await pressed(tab, "[");
    }
    await pressed(tab, "End");
    await tab.page.locator(".live:not(.away)").waitFor();
    await tab.shows(/^the third word$/m);
    // What happens while nobody looks is there afterwards, and nothing of the past was typed into it.
    await tab.run("echo still here");
    await tab.shows(/^still here$/m);
    expect(await visit.call<object>("session.get", { session_id: id })).toMatchObject({
      current_size: size.current_size,
    });
  });

  test("of an ended session is played to its end, at sixteen times its speed", async () => {
    const id = await visit.start(
      ["--name", "played"],
      ["sh", "-c", "for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done"],
    );
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.open("played");
    await tab.shows("line 5");
    const speed = tab.page.getByRole("button", { name: /^Speed/ });
    for (const times of [2, 4, 8, 16]) {
      await speed.click();
      await tab.page.getByRole("button", { name: `Speed: ${times} times` }).waitFor();
    }
    const [past, end] = [tab.page.locator(".past:not(.away)"), tab.page.locator(".moment", { hasText: "end" })];
    await tab.page.getByRole("button", { name: "Play" }).click();
    await past.waitFor();
    await end.waitFor();
    await tab.shows("line 5");
    // And again from the middle of it, paused at once.
    await tab.page.getByRole("slider", { name: "Moment" }).press("PageUp");
    await past.waitFor();
    await pressed(tab, "Escape");
    await end.waitFor();
  });

  // A click on a time without output led back to the last output, and the arrow keys could not pass
  // it.
  test("stays at the clicked time, also without output there", async () => {
    const id = await visit.start(["--name", "still"], ["sh", "-c", "echo before; sleep 5; echo after"]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.open("still");
    await tab.shows("after");
    const track = tab.page.getByRole("slider", { name: "Moment" });
    const box = await track.boundingBox();
    if (box === null) throw new Error("there is no line");
    await tab.page.mouse.click(box.x + box.width * 0.5, box.y + 10);
    await tab.page.locator(".past:not(.away)").waitFor();
    await tab.shows("before");
    expect(await tab.text()).not.toContain("after");
    const here = (): Promise<number> =>
      tab.page.evaluate<number>(`parseFloat(document.querySelector(".here").style.left)`);
    expect(Math.abs((await here()) - 50)).toBeLessThan(1);
    expect(await tab.page.locator(".moment").textContent()).toBe("0:02");
    await pressed(tab, "ArrowRight");
    expect(Math.abs((await here()) - 51)).toBeLessThan(1);
  });

  test("of many megabytes reports the progress of rendering, and has every moment", async () => {
    const script =
      'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); echo "$i a line that is long enough to make a few megabytes of them all, and some more of it"; done';
    const id = await visit.start(["--name", "large"], ["sh", "-c", script]);
    await visit.holt("wait", id);
    await using tab = await visit.home();
    await tab.open("large");
    await tab.shows(/^40000 a line/m);
    const box = await tab.page.getByRole("slider", { name: "Moment" }).boundingBox();
    if (box === null) throw new Error("there is no line");
    await tab.page.mouse.click(box.x + box.width / 2, box.y + 10);
    await tab.page.locator(".past:not(.away)").waitFor();
    await tab.shows(/^\d+ a line/m);
    expect(await tab.text()).not.toContain("40000 a line");
  });
});

describe("a search", () => {
  test("finds output of any session, and goes to that moment", async () => {
    const [half, rest] = ["needle", crypto.randomUUID().slice(0, 8)]; // in no command, which the filter would find
    const needle = `${half}-${rest}`;
    const id = await visit.start(
      ["--name", "hay"],
      ["sh", "-c", `printf '%s-%s\\n' ${half} ${rest}; seq 1 200; printf '\\033[2J\\033[Hcleared'; cat`],
    );
    const piped = await visit.start(
      ["--name", "piped", "--no-pty"],
      ["sh", "-c", `seq 1 500; printf 'on pipes %s-%s\\n' ${half} ${rest}; seq 501 1000`],
    );
    await visit.holt("wait", piped);
    await using tab = await visit.home();
    await tab.open("hay");
    await tab.shows("cleared");
    await tab.page.locator(".bar").click();
    await tab.page.keyboard.press("Control+Shift+E");
    await tab.page.keyboard.press("/");
    await tab.page.keyboard.type(needle);
    await tab.page.getByText("No session matches").waitFor();
    await tab.page.keyboard.press("Enter");
    // Two of the same name are told apart by what became of them, and when.
    const hits = tab.page.locator(".hit");
    await hits.filter({ hasText: "piped" }).locator(".state", { hasText: "exited 0" }).waitFor({ state: "attached" });
    await hits
      .filter({ hasText: "hay" })
      .locator(".state", { hasText: "waiting for input" })
      .waitFor({ state: "attached" });
    await hits
      .filter({ hasText: "hay" })
      .locator("time")
      .getByText(/^\d+s$/)
      .waitFor();
    await tab.page.locator(".hit", { hasText: "hay" }).click();
    await tab.page.locator(".past:not(.away)").waitFor();
    await tab.shows(needle);
    expect(await tab.text()).not.toContain("cleared");
    await tab.page.locator(".hit", { hasText: "piped" }).click();
    await tab.page.locator(".output", { hasText: `on pipes ${needle}` }).waitFor();
    await tab.page.locator(".output .found").waitFor();
    await visit.holt("kill", id);
  });
});
