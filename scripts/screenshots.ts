// Takes the pictures of docs/images/ in a real Chromium, of sessions that are started for it: bun scripts/screenshots.ts, after make build.
// Needs chromium and pngquant.
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { Bench } from "../test/support/holt.ts";
import { end } from "../test/daemon/household.ts";

const IMAGES = join(import.meta.dir, "../docs/images");
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 760 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};
const MOST_BYTES = 150_000;
const SAMPLE = `import { items } from "./items.ts";

/** Answers with what there is; an unknown id is the caller's mistake. */
export function serve(port: number): Server {
  return Bun.serve({
    port,
    routes: {
      "/api/items": () => Response.json(items.all()),
      "/api/items/:id": ({ params }) => {
        const item = items.get(Number(params.id));
        return item === undefined ? new Response("no such item", { status: 404 }) : Response.json(item);
      },
    },
  });
}
`;

const bench = Bench.withDaemon({ PS1: "$ ", HISTFILE: "", LC_ALL: "C.UTF-8", TERM: "xterm-256color", LS_COLORS: "" });
const launch = (args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] });
const browser = await launch(["--use-gl=angle", "--use-angle=swiftshader"]);
// An emulated phone does not tell WebGL how many pixels it has.
const phones = await launch(["--disable-3d-apis"]);
try {
  await pictures(browser, phones);
} finally {
  await browser.close();
  await phones.close();
  await end(bench);
  bench[Symbol.dispose]();
}

async function pictures(from: Browser, small: Browser): Promise<void> {
  await household();
  const dark = await opened(from, { ...DESKTOP, colorScheme: "dark" });
  await picture(dark, "list");
  await open(dark, "shell");
  await picture(dark, "session");
  await dark.locator(".bar").getByRole("button", { name: "Details" }).click();
  await dark.waitForTimeout(9000); // for plots that show something
  await picture(dark, "details");
  await dark.locator("dialog").press("Escape");
  await dark.locator(".bar").getByRole("button", { name: "Commands" }).click();
  await dark.locator(".block summary").nth(1).click();
  await picture(dark, "commands");
  await dark.locator("dialog").press("Escape");
  await open(dark, "editor");
  await dark.keyboard.press("Control+k");
  await picture(dark, "palette");
  await dark.keyboard.press("Escape");

  const light = await opened(from, { ...DESKTOP, colorScheme: "light" });
  await open(light, "shell");
  await light.getByRole("slider").press("PageUp");
  await light.keyboard.press("[");
  await light.locator(".past:not(.away)").waitFor();
  await picture(light, "past-light");
  await light.keyboard.press("End");
  await light.locator(".bar").getByRole("button", { name: "Share" }).click();
  await picture(light, "share-light");
  await light.keyboard.press("Escape");

  const phone = await opened(small, { ...PHONE, colorScheme: "dark" });
  await picture(phone, "phone-list");
  await open(phone, "editor");
  await picture(phone, "phone-session");
}

async function household(): Promise<void> {
  const start = (name: string, project: string, ...argv: string[]): Promise<string> =>
    holt("start", "--name", name, ...(project === "" ? [] : ["--project", project]), "--size", "118x34", "--", ...argv);
  const server = `i=0; while :; do i=$((i+1)); printf '\\033[32mGET\\033[0m /api/items/%d \\033[2m200 in %d ms\\033[0m\\n' $i $((i * 7 % 90)); n=0; while [ $n -lt 20000 ]; do n=$((n+1)); done; sleep 0.3; done`;
  await start("api", "otter", "sh", "-c", server);
  await start("tests", "otter", "sh", "-c", "echo '120 passed, 3 failed'; exit 1");
  await start("deploy", "", "bash", "-c", "echo 'to production'; read -s -p 'Password: ' x");
  await start("backup", "", "sh", "-c", "echo '4.2 GiB in 31 s'");
  await Bun.write(join(bench.root, "server.ts"), SAMPLE);
  const vim = [..."vim -n -u NONE -N -i NONE -c".split(" "), "syntax on|set number laststatus=2 ruler", "server.ts"];
  await start("editor", "otter", ...vim);
  await bench.shell(
    `git init -q . && git config user.name o && git config user.email o@x && for w in 'serve items' tests 'faster start'; do git commit -q --allow-empty -m "$w"; done`,
  );
  const shell = await start("shell", "otter", "bash", "--norc", "--noprofile", "-i");
  const marks = "printf '\\033[32m✓\\033[0m %s\\n' build check test";
  for (const command of ["git log --oneline", "false", "seq 1 12 | paste -sd' '", marks]) {
    await Bun.sleep(900);
    await holt("send", shell, "--text", `${command}\n`);
  }
}

async function holt(...args: string[]): Promise<string> {
  const { text, stderr, exitCode } = await bench.run(args);
  if (exitCode !== 0) throw new Error(`holt ${args.join(" ")}: ${stderr}`);
  return text.trim();
}

async function opened(from: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await from.newContext(options);
  const page = await context.newPage();
  await page.goto(await holt("web", "--no-open", "--port", "0"));
  await page.locator(".row.waiting").waitFor();
  await page.waitForTimeout(8000); // for sparklines
  return page;
}

async function open(page: Page, name: string): Promise<void> {
  await page.locator(".row", { has: page.locator(`.name:text-is("${name}")`) }).click();
  await page.locator(".bar h2", { hasText: name }).waitFor();
  await page.locator(".track").waitFor();
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
