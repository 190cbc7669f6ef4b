/** One tab, and the actions of a user in it. */
import type { Locator, Page } from "playwright-core";
import { type Cell, readCells } from "./dom-cells.ts";
import { ROWS } from "./rows.ts";

/** Console errors that a browser reports without network. */
const OF_THE_NETWORK = /WebSocket connection to|net::ERR_|Failed to load resource/;

const SHOWN_TEXT = `${ROWS}.map((row) => row.textContent.replaceAll("\\u00a0", " ").trimEnd()).join("\\n")`;

const DEADLINE_MS = 20_000;
const LOOK_EVERY_MS = 30;

export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly #complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.#complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      this.#complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (message.type() === "error" && !OF_THE_NETWORK.test(message.text())) this.#complaints.push(message.text());
    });
  }

  row(name: string): Locator {
    return this.page.locator(".row", { has: this.page.locator(`.name:text-is(${JSON.stringify(name)})`) });
  }

  async open(name: string): Promise<void> {
    await this.row(name).click();
    await this.page.locator(".bar h2", { hasText: name }).waitFor();
  }

  /** The visible terminal. */
  get terminal(): Locator {
    return this.page.locator(":is(.live, .past):not(.away) > .terminal");
  }

  text(): Promise<string> {
    return this.page.evaluate<string>(SHOWN_TEXT);
  }

  async shows(sign: string | RegExp): Promise<void> {
    const isShown =
      typeof sign === "string"
        ? `(${SHOWN_TEXT}).includes(${JSON.stringify(sign)})`
        : `${String(sign)}.test(${SHOWN_TEXT})`;
    await this.until(isShown, async () => `never shows ${String(sign)}:\n${await this.text()}`);
  }

  /**
   * Evaluates an expression in the page, which its content security policy forbids to its own
   * scripts.
   */
  async until(isSo: string, story: () => string | Promise<string> = () => this.#where(isSo)): Promise<void> {
    for (const deadline = performance.now() + DEADLINE_MS; !(await this.page.evaluate<boolean>(isSo)); ) {
      if (performance.now() > deadline) throw new Error(await story());
      await Bun.sleep(LOOK_EVERY_MS);
    }
  }

  async #where(isSo: string): Promise<string> {
    return `never ${isSo}; the focus is in ${await this.page.evaluate<string>(`document.activeElement.outerHTML.slice(0, 300)`)}`;
  }

  cells(): Promise<Cell[][]> {
    return readCells(this.page);
  }

  /** Types into the terminal. */
  async type(text: string): Promise<void> {
    await this.terminal.click();
    await this.page.keyboard.type(text);
  }

  async run(command: string): Promise<void> {
    await this.type(command);
    await this.page.keyboard.press("Enter");
  }

  /** Closes the tab; fails on console errors. */
  async close(): Promise<void> {
    await this.page.context().close();
    if (this.#complaints.length > 0) throw new Error(`the page complained:\n${this.#complaints.join("\n")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
