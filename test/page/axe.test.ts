// Accessibility of every view in both themes, checked with axe-core.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import { SOAK } from "../chaos/size.ts";
import type { Tab } from "./tab.ts";
import { PHONE, Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

describe("accessibility", () => {
  const LEVELS = new Set(["serious", "critical"]);

  /**
   * All rules in the dark theme; in the light one, where only colours differ, the rules about
   * colours.
   */
  const RULES = { dark: {}, light: SOAK ? {} : { runOnly: ["color-contrast", "link-in-text-block"] } };

  async function examinedBy(rules: object, tab: Tab, view: string): Promise<void> {
    // As a part of the page's own world it would be stopped by the content policy; this comes from outside.
    if (!(await tab.page.evaluate(`"axe" in globalThis`))) await tab.page.evaluate(axe.source);
    const { violations } = await tab.page.evaluate<axe.AxeResults>(
      `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...rules })})`,
    );
    const found = violations.filter(({ impact }) => LEVELS.has(impact ?? ""));
    expect({
      view,
      found: found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    }).toEqual({ view, found: [] });
  }

  for (const colorScheme of ["dark", "light"] as const)
    test(`axe finds nothing serious, ${colorScheme}`, async () => {
      const name = `seen-${colorScheme}`;
      const examined = examinedBy.bind(null, RULES[colorScheme]);
      await visit.shell(name);
      await using tab = await visit.home({ colorScheme, reducedMotion: "reduce" });
      const { keyboard } = tab.page;
      await examined(tab, "list");
      await tab.open(name);
      await tab.run("false");
      await tab.until(`document.querySelectorAll(".mark.command").length > 0`);
      await examined(tab, "session");
      for (const [button, view] of [
        ["Commands", "commands"],
        ["Details", "details"],
        ["Share", "share"],
        ["Stop", "stop"],
      ] as const) {
        await tab.page.locator(".bar").getByRole("button", { name: button }).click();
        await tab.page.locator("dialog[open]").waitFor();
        await examined(tab, view);
        await tab.page.locator("dialog[open]").press("Escape");
        await tab.page.locator("dialog[open]").waitFor({ state: "detached" });
      }
      await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
      await examined(tab, "menu");
      await keyboard.press("Escape");
      await keyboard.press("Control+k");
      await examined(tab, "palette");
      await keyboard.press("Escape");
      await keyboard.press("Control+Shift+F");
      await tab.page.getByLabel("Find in the terminal").fill("false");
      await examined(tab, "find");
      await keyboard.press("Escape");
      await tab.page.getByRole("slider").press("Home");
      await tab.page.locator(".past:not(.away)").waitFor();
      await examined(tab, "past");
      await using phone = await visit.home({ ...PHONE, colorScheme });
      await examined(phone, "list on a phone");
      await phone.open(name);
      await phone.shows("$");
      await examined(phone, "session on a phone");
      const [origin = ""] = (await visit.link()).split("#");
      await using out = await visit.tab({ link: `${origin}#ticket=none`, colorScheme });
      await out.page.getByRole("heading").waitFor();
      await examined(out, "signed out");
    });
});
