// Takes the pictures of docs/images/, every view in dark, light and on a phone, in a real Chromium, of sessions that are started for
// it: bun scripts/screenshots.ts, after make build. Needs chromium and pngquant.
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { end } from "../test/daemon/household.ts";
import { bench, holt, household } from "./pictures/household.ts";
import { EMPTY, type View, VIEWS } from "./pictures/views.ts";

const IMAGES = join(import.meta.dir, "../docs/images");
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 760 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};
const MOST_BYTES = 150_000;

const launch = (args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] });
const desktops = await launch(["--use-gl=angle", "--use-angle=swiftshader"]);
// An emulated phone does not tell WebGL how many pixels it has.
const phones = await launch(["--disable-3d-apis"]);
const LOOKS: readonly [name: string, browser: Browser, options: BrowserContextOptions][] = [
  ["dark", desktops, { ...DESKTOP, colorScheme: "dark" }],
  ["light", desktops, { ...DESKTOP, colorScheme: "light" }],
  ["phone", phones, { ...PHONE, colorScheme: "dark" }],
];
try {
  await inEachLook([EMPTY], 0);
  await household();
  await inEachLook(VIEWS, 8000); // for sparklines
} finally {
  await desktops.close();
  await phones.close();
  await end(bench);
  bench[Symbol.dispose]();
}

async function inEachLook(views: readonly View[], restMs: number): Promise<void> {
  for (const [look, browser, options] of LOOKS) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(await holt("web", "--no-open", "--port", "0"));
    await page.waitForTimeout(restMs);
    for (const view of views) {
      await view.show(page);
      await picture(page, `${view.name}-${look}`);
      await view.leave?.(page);
    }
    await context.close();
  }
}

async function picture(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(600);
  const path = join(IMAGES, `${name}.png`);
  await page.screenshot({ path });
  Bun.spawnSync(["pngquant", "--force", "--skip-if-larger", "--strip", "--speed", "1", "--output", path, "64", path]);
  const { size } = Bun.file(path);
  console.log(`${name}.png ${size}`);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MOST_BYTES}`);
}
