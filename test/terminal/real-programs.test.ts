// Runs real programs with the watch as their only terminal: it recognises exactly their queries,
// they accept its answers, and a viewer's terminal receives no query.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_MODES, type Modes } from "../../src/protocol/types/modes.ts";
import { colorsFrom } from "../../src/terminal/queries/reported-colors.ts";
import { encodeKeys } from "../../src/terminal/keys/keys.ts";
import type { StateQuery } from "../../src/terminal/queries/state-query.ts";
import { ViewerFilter } from "../../src/terminal/filter/viewer-filter.ts";
import { TerminalWatch } from "../../src/terminal/queries/terminal-watch.ts";

class Watched implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "h-"));
  readonly ends: number[] = [];
  readonly seenModes: Modes[] = [];
  #raw = Buffer.alloc(0);
  #filtered = Buffer.alloc(0);
  #changed = Promise.withResolvers<void>();
  readonly #filter = new ViewerFilter({ clipboard: false });
  readonly watch = new TerminalWatch(
    {
      query: (query) => {
        this.ends.push(query.end);
        this.#terminal?.write("answer" in query ? query.answer : answered(query.state));
      },
      modesChanged: (modes) => this.seenModes.push(modes),
    },
    { colors: colorsFrom(undefined), version: "1" },
  );
  readonly proc: ReturnType<typeof Bun.spawn>;
  #terminal: Bun.Terminal | undefined;

  constructor(argv: string[]) {
    const { PATH = "", LANG = "C.UTF-8" } = process.env;
    this.proc = Bun.spawn(argv, {
      env: { PATH, LANG, HOME: this.home, TMUX_TMPDIR: this.home, TERM: "xterm-256color" },
      cwd: this.home,
      terminal: { cols: 80, rows: 24, data: (terminal, bytes) => this.#take(terminal, bytes) },
    });
    this.#terminal = this.proc.terminal;
  }

  get raw(): string {
    return this.#raw.toString("latin1");
  }

  get filtered(): string {
    return this.#filtered.toString("latin1");
  }

  #take(terminal: Bun.Terminal, bytes: Uint8Array): void {
    this.#terminal = terminal;
    this.watch.push(this.#raw.length, bytes);
    this.#raw = Buffer.concat([this.#raw, bytes]);
    this.#filtered = Buffer.concat([this.#filtered, this.#filter.push(bytes)]);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async sees(what: (raw: string) => boolean): Promise<void> {
    while (!what(this.raw)) await this.#changed.promise;
  }

  press(...keys: string[]): void {
    this.#terminal?.write(encodeKeys(keys, this.watch.modes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.proc.exitCode === null) this.proc.kill("SIGKILL");
    await this.proc.exited;
    rmSync(this.home, { recursive: true, force: true });
  }
}

function answered(state: StateQuery): string {
  switch (state.kind) {
    case "cursor_position":
      return `\x1b[${state.isPrivate ? "?" : ""}1;1R`;
    case "mode":
      return `\x1b[${state.isPrivate ? "?" : ""}${state.mode};0$y`;
    case "setting":
      return "\x1bP0$r\x1b\\";
    default:
      return "";
  }
}

/** All queries as a regular expression, independent of the watch. */
const QUESTIONS =
  /\x1b\[[>=]?0?c|\x1bZ|\x1b\[\??[56]n|\x1b\[\?(?:15|25|26|996)n|\x1b\[\??\d+\$p|\x1b\[>0?q|\x1b\[1[4689]t|\x1b\[\?u|\x1b\](?:4|1[012]);[^\x07\x1b]*\?[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[+$]q[^\x1b]*\x1b\\/g;

function expectNothingMissed(program: Watched): void {
  const asked = Array.from(program.raw.matchAll(QUESTIONS), (match) => match.index + match[0].length);
  expect([...new Set(program.ends)]).toEqual(asked);
  expect(program.filtered.match(QUESTIONS)).toBeNull();
}

test("vim asks for versions, colours, capabilities and the cursor, and is answered", async () => {
  await using vim = new Watched(["vim", "-N", "-u", "NONE", "-i", "NONE"]);
  await vim.sees((raw) => raw.includes("VIM - Vi IMproved"));
  vim.press("i", "x", "y", "left", "z", "esc", ":", "w", "q", "!", " ", "o", "u", "t", "enter");
  expect(await vim.proc.exited).toBe(0);
  expectNothingMissed(vim);
  expect(vim.ends.length).toBeGreaterThan(2);
  expect(await Bun.file(join(vim.home, "out")).text()).toBe("xzy\n");
  expect(vim.seenModes.some(({ alternate_screen, app_cursor_keys }) => alternate_screen && app_cursor_keys)).toBe(true);
  expect(vim.watch.modes).toEqual(DEFAULT_MODES);
});

test("tmux asks what its terminal is", async () => {
  await using tmux = new Watched(["tmux", "-f", "/dev/null", "new-session", "echo re''ady; read line"]);
  await tmux.sees((raw) => raw.includes("ready"));
  tmux.press("enter");
  expect(await tmux.proc.exited).toBe(0);
  expectNothingMissed(tmux);
  expect(tmux.ends.length).toBeGreaterThan(0);
  expect(tmux.watch.modes).toEqual(DEFAULT_MODES);
});

test("htop hides the cursor, takes the mouse and gives both back", async () => {
  await using htop = new Watched(["htop"]);
  await htop.sees((raw) => raw.includes("F10"));
  htop.press("f10");
  expect(await htop.proc.exited).toBe(0);
  expectNothingMissed(htop);
  expect(htop.seenModes.some(({ mouse, cursor_visible }) => mouse !== "off" && !cursor_visible)).toBe(true);
  expect(htop.watch.modes).toEqual(DEFAULT_MODES);
});

test("fish is at its prompt, whatever its version asks first", async () => {
  await using fish = new Watched(["fish", "--no-config", "--interactive"]);
  await fish.sees(() => fish.watch.title !== "");
  fish.press(...Array.from("echo do''ne"), "enter");
  await fish.sees((raw) => /[^']done\b/.test(raw));
  fish.press(...Array.from("exit"), "enter");
  expect(await fish.proc.exited).toBe(0);
  expectNothingMissed(fish);
});
