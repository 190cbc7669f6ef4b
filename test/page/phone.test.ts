// The page on a phone: it does not take part in a session's size unless the user asks for it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Tab } from "./tab.ts";
import { PHONE, Visit } from "./visit.ts";

let visit: Visit;
beforeAll(async () => {
  visit = await Visit.begin();
});
afterAll(() => visit[Symbol.asyncDispose]());

type Size = Awaited<ReturnType<Visit["sizeOf"]>>;

/** Resolves once it holds; the error has the size. */
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

/**
 * The screen is whole and uses its area; the number of rows may depend on another, lower screen.
 */
async function fits(tab: Tab): Promise<void> {
  await tab.until(`(() => {
    const [screen, place] = [".live .xterm-screen", ".live .terminal"].map((each) => document.querySelector(each).getBoundingClientRect());
    return screen.width <= place.width && screen.height <= place.height && screen.width > place.width * 0.85;
  })()`);
}

test("fits a session to its screen on request, and leaves the size to other clients again", async () => {
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
  await choose(phone, "Leave the size to other clients");
  expect(await sized(id, ({ cols }) => cols > 60)).toEqual(usual);
  // Also offered as a button on a screen that does not fit, where a menu would not be looked for.
  const offer = phone.page.getByRole("button", { name: "Fit to this screen" });
  await offer.click();
  await sized(id, ({ cols }) => cols < 60);
  await offer.waitFor({ state: "detached" });
});

test("fits a session started on it at once", async () => {
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

describe("a session larger than the screen", () => {
  const SIDEWAYS = { ...PHONE, viewport: { width: 844, height: 390 } };

  interface Look {
    font: number;
    isWider: boolean;
    isHigher: boolean;
    isCursorSeen: boolean;
    width: number;
    left: number;
  }

  function look(tab: Tab): Promise<Look> {
    return tab.page.evaluate<Look>(`(() => {
      const place = document.querySelector(".live .terminal");
      const [room, screen, cursor] = [place, place.querySelector(".xterm-screen"), place.querySelector(".xterm-cursor")].map((each) => each.getBoundingClientRect());
      return {
        font: parseFloat(getComputedStyle(place.querySelector(".xterm-rows")).fontSize),
        isWider: screen.width > room.width,
        isHigher: screen.height > room.height,
        isCursorSeen: cursor.left >= room.left - 1 && cursor.right <= room.right + 1 && cursor.top >= room.top - 1 && cursor.bottom <= room.bottom + 1,
        width: room.width,
        left: place.scrollLeft,
      };
    })()`);
  }

  // It was drawn whole, in letters of three pixels; on a phone in landscape the list took a third
  // of the width.
  test("is drawn in a readable font, is panned by touch, and follows the cursor until then", async () => {
    const id = await visit.start(["--name", "larger", "--size", "120x40"], ["sh", "-c", "seq 1 39; stty -echo; cat"]);
    const print = (text: string): Promise<string> => visit.holt("send", id, "--text", `${text}\n`);
    for (const options of [PHONE, SIDEWAYS]) {
      await using phone = await visit.home(options);
      await phone.open("larger");
      await phone.shows("39");
      const seen = await look(phone);
      expect(seen).toMatchObject({ isCursorSeen: true, isWider: options === PHONE, isHigher: options === SIDEWAYS });
      expect(seen.font).toBeGreaterThanOrEqual(9);
      expect(seen.width).toBeGreaterThan((options.viewport?.width ?? 0) * 0.95);
      if (options === SIDEWAYS) {
        await phone.page.locator(".rail").waitFor({ state: "hidden" });
        continue;
      }
      // Whoever has moved it reads there, whatever is printed; whoever types wants to see it.
      await phone.page.evaluate(`document.querySelector(".live .terminal").scrollTo(150, 0)`);
      await phone.until(`document.querySelector(".live .terminal").scrollLeft === 150`);
      await print("told meanwhile");
      await phone.shows("told meanwhile");
      expect(await look(phone)).toMatchObject({ left: 150, isCursorSeen: false });
      await phone.type("x");
      await phone.until(`document.querySelector(".live .terminal").scrollLeft === 0`);
      await phone.page.keyboard.press("Backspace");
    }
    expect(await visit.sizeOf(id)).toEqual({ cols: 120, rows: 40 });
  });
});
