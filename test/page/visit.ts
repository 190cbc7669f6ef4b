/**
 * The page in a real Chromium with a real daemon. Terminals are drawn as elements (WebGL is off),
 * so that tests read the screen from the DOM. Any console error of the page, including one of the
 * content security policy, fails the test.
 */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { Tab } from "./tab.ts";

/** Headless: a desktop window costs five times as much as the page. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell";
const NO_WEBGL = ["--disable-3d-apis"];
/** Software rendering, for machines without a graphics card. */
export const WEBGL = ["--use-gl=angle", "--use-angle=swiftshader"];
const PROMPT = "$ ";

export const DESKTOP = { width: 1100, height: 700 };
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export class Visit implements AsyncDisposable {
  readonly bench: Bench;
  readonly #browser: Browser;
  readonly #contexts = new Set<BrowserContext>();

  private constructor(bench: Bench, browser: Browser) {
    this.bench = bench;
    this.#browser = browser;
  }

  static async begin({
    args = NO_WEBGL,
    bench = Visit.household(),
  }: {
    args?: string[];
    bench?: Bench;
  } = {}): Promise<Visit> {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", ...args] });
    return new Visit(bench, browser);
  }

  static household(): Bench {
    return Bench.withDaemon({
      PS1: PROMPT,
      HISTFILE: "",
      LC_ALL: "C.UTF-8",
      TERM: "xterm-256color",
      COLORTERM: "",
      SHELL: "/bin/sh",
    });
  }

  /** Runs holt; returns its output. */
  async holt(...args: string[]): Promise<string> {
    const { text, stderr, exitCode } = await this.bench.run(args);
    if (exitCode !== 0) throw new Error(`holt ${args.join(" ")}: ${stderr}${text}`);
    return text.trim();
  }

  async call<T>(method: string, params: object): Promise<T> {
    return JSON.parse(await this.holt("call", method, JSON.stringify(params))) as T;
  }

  /** An id. */
  start(options: readonly string[], argv: readonly string[]): Promise<string> {
    return this.holt("start", ...options, "--", ...argv);
  }

  /** Starts an integrated shell. */
  shell(name: string, ...options: string[]): Promise<string> {
    return this.start(["--name", name, ...options], ["bash", "--norc", "--noprofile", "-i"]);
  }

  async sizeOf(id: string): Promise<{ cols: number; rows: number }> {
    const { current_size } = await this.call<{ current_size: { cols: number; rows: number } }>("session.get", {
      session_id: id,
    });
    return current_size;
  }

  /** A single-use link with full access. */
  link(): Promise<string> {
    return this.holt("web", "--no-open", "--port", "0");
  }

  /** A tab in a browser context of its own. */
  async tab(options: BrowserContextOptions & { link?: string } = {}): Promise<Tab> {
    const { link = await this.link(), ...rest } = options;
    const context = await this.#browser.newContext({ viewport: DESKTOP, colorScheme: "dark", ...rest });
    this.#contexts.add(context);
    context.setDefaultTimeout(20_000);
    const page: Page = await context.newPage();
    const tab = new Tab(page);
    await page.goto(link);
    return tab;
  }

  /** The owner's tab, with the list. */
  async home(options: BrowserContextOptions = {}): Promise<Tab> {
    const tab = await this.tab(options);
    await tab.page.locator(".rail .list > :not(.note)").first().waitFor();
    return tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.#browser.close();
    await end(this.bench);
    this.bench[Symbol.dispose]();
  }
}
