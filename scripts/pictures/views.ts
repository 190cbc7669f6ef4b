/** Every view of the page: how a person comes to it from the list, and leaves it again. */
import type { Locator, Page } from "playwright-core";

export interface View {
  name: string;
  show(page: Page): Promise<unknown>;
  leave?(page: Page): Promise<unknown>;
}

const escape = (page: Page): Promise<void> => page.keyboard.press("Escape");
const row = (page: Page, name: string): Locator =>
  page.locator(".row", { has: page.locator(`.name:text-is("${name}")`) });

async function open(page: Page, name: string): Promise<void> {
  const back = page.locator(".bar .back");
  if (!(await row(page, name).isVisible())) await back.click();
  await row(page, name).click();
  await page.locator(".bar h2", { hasText: name }).waitFor();
  await page.locator(".track, pre.output").waitFor();
}

async function choose(page: Page, title: string): Promise<void> {
  await page.locator(".bar").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: title }).click();
}

const toList = async (page: Page): Promise<void> => {
  if (!(await row(page, "shell").isVisible())) await page.locator(".bar .back").click();
};

/** Chosen from the menu of the shell's bar. */
function over(name: string, title: string, then?: (page: Page) => Promise<unknown>): View {
  return {
    name,
    async show(page) {
      await open(page, "shell");
      await choose(page, title);
      await page.locator("dialog[open]").waitFor();
      await then?.(page);
    },
    leave: escape,
  };
}

export const EMPTY: View = { name: "empty", show: (page) => page.locator(".list .empty").waitFor() };

export const VIEWS: readonly View[] = [
  { name: "list", show: (page) => page.locator(".row.waiting").waitFor() },
  { name: "session", show: (page) => open(page, "shell") },
  {
    name: "past",
    async show(page) {
      await open(page, "shell");
      await page.getByRole("slider").press("PageUp");
      await page.keyboard.press("[");
      await page.locator(".past:not(.away)").waitFor();
    },
    leave: (page) => page.keyboard.press("End"),
  },
  over("commands", "Commands", (page) => page.locator(".block summary").nth(1).click()),
  over("details", "Details", (page) => page.waitForTimeout(9000)), // for plots that show something
  over("share", "Share"),
  over("stop", "Stop"),
  {
    name: "find",
    async show(page) {
      await open(page, "shell");
      await choose(page, "Find in the terminal");
      await page.getByRole("searchbox", { name: "Find in the terminal" }).fill("test");
      await page.keyboard.press("Enter");
    },
    leave: escape,
  },
  { name: "editor", show: (page) => open(page, "editor") },
  { name: "pipes", show: (page) => open(page, "build") },
  {
    name: "palette",
    async show(page) {
      await open(page, "editor");
      await page.keyboard.press("Control+k");
      await page.locator("dialog[open]").waitFor();
    },
    leave: escape,
  },
  {
    name: "new",
    async show(page) {
      await toList(page);
      await page.locator(".rail").getByRole("button", { name: "New" }).click();
      await page.locator("dialog[open]").waitFor();
    },
    leave: escape,
  },
  {
    name: "keys",
    async show(page) {
      await toList(page);
      await page.locator(".rail").getByRole("button", { name: "Keys" }).click();
      await page.locator("dialog[open]").waitFor();
    },
    leave: escape,
  },
  {
    name: "search",
    async show(page) {
      await toList(page);
      await page.locator("#filter").fill("items");
      await page.keyboard.press("Enter");
      await page.locator(".hit").first().waitFor();
    },
    leave: (page) => page.locator("#filter").press("Escape"),
  },
  {
    name: "offline",
    async show(page) {
      await open(page, "shell");
      await page.context().setOffline(true);
      await page.locator(".offline", { hasText: "Offline" }).waitFor({ timeout: 90_000 });
    },
    leave: (page) => page.context().setOffline(false),
  },
];
