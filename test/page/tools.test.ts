// Find, copy, commands and details.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { ROWS } from "./rows.ts";
import type { Tab } from "./tab.ts";
import { Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

async function more(tab: Tab, item: string): Promise<void> {
  await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
  await tab.page.getByRole("menuitem", { name: item }).click();
}

async function copied(tab: Tab, what: string): Promise<string> {
  await tab.page.locator(".toast", { hasText: `${what} copied` }).waitFor();
  return tab.page.evaluate<string>(`navigator.clipboard.readText()`);
}

// The screen was sent again after each resize, the first one included, and removed the scrollback.
test("find covers the scrollback, counts the matches and goes both ways", async () => {
  const id = await visit.start(["--name", "searched"], ["sh", "-c", "seq -f 'needle %g' 1 120; echo last; cat"]);
  await using tab = await visit.home();
  await tab.open("searched");
  await tab.shows("last");
  expect(await tab.text()).not.toContain("needle 1\n"); // it is above what is shown
  const current_size = await visit.sizeOf(id);
  await more(tab, "Find in the terminal");
  const input = tab.page.getByLabel("Find in the terminal");
  const says = (text: string): Promise<void> => tab.page.locator(`.find [role=status]:text-is("${text}")`).waitFor();
  await input.pressSequentially("needle");
  await says("1 of 120");
  await tab.shows(/^needle 1$/m);
  await input.press("Enter");
  await says("2 of 120");
  await tab.page.locator(".find").getByRole("button", { name: "Next" }).click();
  await says("3 of 120");
  await tab.page.locator(".find").getByRole("button", { name: "Previous" }).click();
  await says("2 of 120");
  await input.press("Shift+Enter");
  await input.press("Shift+Enter");
  await says("120 of 120");
  await tab.shows(/^needle 120$/m);
  // It covers the terminal: as a bar above it, it took two rows from every client.
  expect(await visit.sizeOf(id)).toEqual(current_size);
  await tab.page.setViewportSize({ width: 900, height: 600 });
  await tab.until(`${ROWS}.length < ${current_size.rows}`);
  await input.fill("needle 7");
  await says("1 of 11"); // 7, and 70 to 79
  await input.fill("haystack");
  await says("not found");
  await input.press("Escape");
  await tab.page.locator(".find").waitFor({ state: "detached" });
});

test("clean text is the printed text with scrollback, without colours, with wrapped lines joined", async () => {
  const long = "long ".repeat(60).trim();
  const script = `seq 1 100; printf '\\033[1;31mred\\033[0m and \\033[4mplain\\033[0m\\n%s\\n' '${long}'; sleep 600`;
  await visit.start(["--name", "copied"], ["sh", "-c", script]);
  await using tab = await visit.home(CLIPBOARD);
  await tab.open("copied");
  await tab.shows("red and plain");
  await more(tab, "Copy clean text");
  const numbers = Array.from({ length: 100 }, (_, at) => String(at + 1));
  expect(await copied(tab, "Text")).toBe([...numbers, "red and plain", long].join("\n"));
});

test("the commands of a shell are listed with outcome and output; other programs have none", async () => {
  await visit.shell("blocks");
  await visit.start(["--name", "editor"], ["vim", "-n", "-u", "NONE", "-i", "NONE"]);
  await using tab = await visit.home(CLIPBOARD);
  const button = tab.page.locator(".bar").getByRole("button", { name: "Commands" });
  await tab.open("blocks");
  await tab.run("printf 'one\\ntwo\\n'");
  await tab.shows(/^two$/m);
  await tab.run("(exit 7)");
  await tab.until(`document.querySelectorAll(".mark.command").length >= 2`);
  await button.click();
  const blocks = tab.page.locator("dialog .block");
  await blocks.nth(1).waitFor();
  const [failed, printed] = [blocks.nth(0), blocks.nth(1)]; // the last first
  await failed.locator("summary", { hasText: "(exit 7)" }).getByText("✗ 7").waitFor();
  await printed.locator("summary", { hasText: "printf" }).getByText("✓ 0").waitFor();
  expect(await printed.locator(".age").textContent()).toMatch(/^\d+\.\d\d s$/);
  const output = printed.locator("pre");
  expect(await output.isVisible()).toBe(false);
  await printed.locator("summary").click();
  await output.getByText("one\ntwo").waitFor();
  await printed.getByRole("button", { name: "Copy output" }).click();
  expect((await copied(tab, "Output")).trimEnd()).toBe("one\ntwo");
  await printed.locator("summary").click();
  await output.waitFor({ state: "hidden" });
  await tab.page.locator("dialog[open]").press("Escape");
  // The panel and its button were shown for every terminal.
  await tab.open("editor");
  await tab.shows("~");
  await button.waitFor({ state: "detached" });
  await tab.page.keyboard.press("Control+k");
  await tab.page.getByRole("combobox").fill("Details");
  await tab.page.getByRole("option", { name: /^Details/ }).waitFor();
  await tab.page.getByRole("combobox").fill("what was run in this shell");
  expect(await tab.page.getByRole("option").count()).toBe(0);
});

// It was shown as running forever, in a shell that had ended.
test("a command whose shell was ended during it ended with its shell", async () => {
  const id = await visit.shell("cut short");
  await using tab = await visit.home();
  await tab.open("cut short");
  await tab.run("sleep 600");
  await tab.until(`document.querySelectorAll(".mark.command").length >= 1`);
  await tab.page.locator(".bar").getByRole("button", { name: "Commands" }).click();
  const block = tab.page.locator("dialog .block summary", { hasText: "sleep 600" });
  await block.getByText("● runs").waitFor();
  await visit.holt("kill", id);
  await block.getByText("■ ended with its shell").waitFor();
});

test("the details show command, directory, size, variable names and events", async () => {
  const { session_id } = await visit.call<{ session_id: string }>("session.start", {
    argv: ["sh", "-c", "echo begun; read x; exit 4"],
    cwd: visit.bench.root,
    name: "detailed",
    env: { OTTER_SECRET: "value-of-it" },
    pty: { cols: 100, rows: 30 },
  });
  await using tab = await visit.home();
  await tab.open("detailed");
  await tab.shows("begun");
  await tab.page.locator(".bar").getByRole("button", { name: "Details" }).click();
  const details = tab.page.getByRole("dialog", { name: "detailed" });
  const fact = async (name: string): Promise<string> => {
    const row = details.locator("dl > div", { has: tab.page.locator(`dt:text-is("${name}")`) });
    return (await row.first().locator("dd").textContent()) ?? "";
  };
  /**
   * Resolves with its size once the details show it; the page is laid out, and the session fitted,
   * asynchronously.
   */
  const sizeToldBesides = async (before: string): Promise<string> => {
    let told = before;
    await until(`the details tell a size besides ${before}`, async () => {
      const { cols, rows } = await visit.sizeOf(session_id);
      told = await fact("size");
      return told === `${cols}×${rows}` && told !== before;
    });
    return told;
  };
  const first = await sizeToldBesides("");
  // They were read once, when opened: after a resize of the window they showed the old size.
  await tab.page.setViewportSize({ width: 1500, height: 640 });
  const second = await sizeToldBesides(first);
  expect(await fact("id")).toBe(session_id);
  expect(await fact("command")).toBe("sh -c 'echo begun; read x; exit 4'");
  expect(await fact("directory")).toBe(visit.bench.root);
  const variables = (await details.locator(".env").textContent()) ?? "";
  expect(variables.split(" ")).toContain("OTTER_SECRET");
  expect(await tab.page.content()).not.toContain("value-of-it");
  await visit.holt("send", "detailed", "--text", "typed\n");
  const event = (kind: string, what: string) =>
    details.locator(".events li", { has: tab.page.locator(".kind", { hasText: kind }) }).filter({ hasText: what });
  await event("ended", "4").waitFor();
  await event("size", second).first().waitFor();
  await event("typed", "").first().waitFor();
  await event("started", "").waitFor();
  expect(await fact("state")).toBe("exited 4");
});
