/** The page in a browser: how soon it can be used, and how soon it shows the screen of a long session. */
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { compare, mebibytes, rounds, type Sample } from "./measure.ts";
import { MARKER, printed } from "./painting.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const MIB = mebibytes(100);
const TIMES = rounds(7);
const SIZES = { short: 1024, long: MIB * 1024 * 1024 };
const VIEWPORT = { width: 1100, height: 700 };
/** Of a page that does nothing: what the browser itself takes. */
const BARE = "<!doctype html><title>bare</title><button>ready</button>";
const SHOWS_MARKER = `[...document.querySelectorAll(".xterm-rows > div")].some((row) => row.textContent.includes(${JSON.stringify(MARKER)}))`;

export async function pagePaint(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  for (const [id, bytes] of Object.entries(SIZES)) {
    await stage.start(id, "--name", id, "--size", "80x24", "--", join(bin, "show"), String(bytes), "plain");
    await printed(stage, id);
    await stage.holt("screen", id); // it has keyframes from now on
  }
  // Drawn as elements, so that what is on the screen can be read.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-3d-apis"] });
  using bare = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(BARE, { headers: { "content-type": "text/html" } }),
  });
  const link = async (): Promise<string> => (await stage.holt("web", "--no-open", "--port", "0")).trim();
  try {
    const interactive = await compare(
      {
        "a page that does nothing": () => untilThere(browser, bare.url.href, "button"),
        "holt's page, with its list": async () => untilThere(browser, await link(), ".row"),
      },
      TIMES,
    );
    const painted = await compare(
      {
        "1 KiB": () => untilPainted(browser, link, "short"),
        [`${MIB} MiB`]: () => untilPainted(browser, link, "long"),
      },
      TIMES,
    );
    return [
      standings(
        "The page, to interactive",
        "In Chromium, without a cache, from the address to the first session of the list being there and clickable.",
        interactive,
      ),
      standings(
        `First paint of ${MIB} MiB in the page`,
        "From the click on a session in the list to the last word that it printed on the screen; it has keyframes. The baseline is a session that printed 1 KiB.",
        painted,
      ),
    ];
  } finally {
    await browser.close();
  }
}

async function untilThere(browser: Browser, url: string, selector: string): Promise<Sample> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    const started = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(selector).first().click({ trial: true });
    return { ms: performance.now() - started };
  } finally {
    await context.close();
  }
}

async function untilPainted(browser: Browser, link: () => Promise<string>, name: string): Promise<Sample> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    await page.goto(await link());
    const row = page.locator(".row", { has: page.locator(`.name:text-is("${name}")`) });
    await row.waitFor();
    const started = performance.now();
    await row.click();
    while (!(await page.evaluate<boolean>(SHOWS_MARKER))) await Bun.sleep(2);
    return { ms: performance.now() - started };
  } finally {
    await context.close();
  }
}
