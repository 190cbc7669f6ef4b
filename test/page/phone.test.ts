// A phone: it watches without a say in the size of a session, unless somebody there asks for it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "./tab.ts";
import { PHONE, Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

type Size = Awaited<ReturnType<Visit["sizeOf"]>>;

/** Resolves once it is so; the size is told when it is not. */
async function sized(id: string, isSo: (size: Size) => boolean): Promise<Size> {
  for (const deadline = performance.now() + 20_000; ; await Bun.sleep(50)) {
    const size = await visit.sizeOf(id);
    if (isSo(size)) return size;
    if (performance.now() > deadline) throw new Error(`it is ${size.cols}×${size.rows}`);
  }
}

async function choose(tab: Tab, item: string): Promise<void> {
  await tab.page.locator(".bar").getByRole("button", { name: "More" }).click();
  await tab.page.getByRole("menuitem", { name: item }).click();
}

/** Nothing is cut away, and the place is used; how many rows there are, a lower screen beside it may say. */
async function fits(tab: Tab): Promise<void> {
  await tab.until(`(() => {
    const [screen, place] = [".live .xterm-screen", ".live .terminal"].map((each) => document.querySelector(each).getBoundingClientRect());
    return screen.width <= place.width && screen.height <= place.height && screen.width > place.width * 0.85;
  })()`);
}

test("fits a session to its screen where somebody asks for that, and leaves it to the others again", async () => {
  const id = await visit.start(["--name", "wide", "--size", "140x40"], ["cat"]);
  await using desktop = await visit.home();
  await desktop.open("wide");
  await desktop.run("seen by both");
  await desktop.shows("seen by both");
  const usual = await sized(id, ({ cols }) => cols !== 140);
  await using phone = await visit.home(PHONE);
  await phone.open("wide");
  await phone.shows("seen by both");
  expect(await visit.sizeOf(id)).toEqual(usual);
  await choose(phone, "Fit to this screen");
  const small = await sized(id, ({ cols }) => cols < 60);
  expect(small.cols).toBeGreaterThan(35);
  await fits(phone);
  await choose(phone, "Leave its size to others");
  expect(await sized(id, ({ cols }) => cols > 60)).toEqual(usual);
  // Offered where it stands, too: letters of 5 pixels are there to be looked at, and nobody searches a menu for a way out.
  const offer = phone.page.getByRole("button", { name: "Fit to this screen" });
  await offer.click();
  await sized(id, ({ cols }) => cols < 60);
  await offer.waitFor({ state: "detached" });
});

test("fits a session that is started on it at once", async () => {
  await using phone = await visit.tab(PHONE);
  await phone.page.getByRole("button", { name: "New" }).click();
  await phone.page.getByLabel("Command").fill("cat");
  await phone.page.getByLabel("Name").fill("pocket");
  await phone.page.getByRole("button", { name: "Start" }).click();
  await phone.page.locator(".bar h2", { hasText: "pocket" }).waitFor();
  const id =
    (await visit.call<{ sessions: { session_id: string }[] }>("session.list", { name: "pocket" })).sessions[0]
      ?.session_id ?? "";
  const { cols } = await sized(id, (size) => size.cols < 60);
  expect(cols).toBeGreaterThan(35);
  await fits(phone);
});
