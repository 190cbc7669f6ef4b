/** Tests replays in tmux: it must show what it shows of the program's own output. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScreenRun } from "../../src/terminal/screen/screen.ts";
import { rowsOfText } from "../../src/terminal/screen/screen-text.ts";
import { emulated } from "./emulated.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
const SCREEN = { cols: 80, rows: 24 };
const STATE =
  "#{cursor_x},#{cursor_y} #{alternate_on} #{cursor_flag} #{keypad_flag} #{keypad_cursor_flag} #{insert_flag}";
const MORE =
  "#{mouse_any_flag} #{mouse_sgr_flag} #{scroll_region_upper},#{scroll_region_lower} #{wrap_flag} #{origin_flag}";

/** A private tmux server whose panes only print what the test writes. */
class Tmux implements Disposable {
  readonly #dir = mkdtempSync(join(process.env.TMPDIR ?? "/tmp", "tm-"));
  readonly #socket = join(this.#dir, "s");
  #shown = 0;

  async run(...argv: string[]): Promise<string> {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: this.#dir,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
    };
    const proc = Bun.spawn(["tmux", "-f", "/dev/null", "-S", this.#socket, ...argv], { env, stderr: "pipe" });
    const [out, problem, code] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
    if (code !== 0) throw new Error(`tmux ${argv.join(" ")}: ${problem}`);
    return out;
  }

  /**
   * The contents of a pane after the bytes. The answer to a cursor query proves that tmux has
   * processed them.
   */
  async shows(bytes: Uint8Array): Promise<{ cells: ScreenRun[][]; text: string[]; state: string }> {
    const name = `p${this.#shown++}`;
    const file = join(this.#dir, name);
    writeFileSync(file, bytes);
    const tmux = `tmux -S ${this.#socket}`;
    const script = `stty raw -echo; cat ${file}; printf '\\033[6n'; dd bs=1 count=6 of=/dev/null 2>/dev/null; ${tmux} wait-for -S ${name}; exec sleep 1000`;
    await this.run("new-session", "-d", "-s", name, "-x", "80", "-y", "24", script, ";", "set", "status", "off");
    await this.run("wait-for", name);
    const captured = await this.run("capture-pane", "-p", "-e", "-t", name);
    // tmux distinguishes blanks from cells never printed; both look the same.
    const cells = emulated(SCREEN, captured.trimEnd().replaceAll("\n", "\r\n")).screen().lines;
    const text = (await this.run("capture-pane", "-p", "-t", name)).split("\n").slice(0, SCREEN.rows);
    const state = await this.run("display-message", "-p", "-t", name, `${STATE} ${MORE}`);
    await this.run("kill-session", "-t", name);
    return { cells, text, state };
  }

  [Symbol.dispose](): void {
    Bun.spawnSync(["tmux", "-S", this.#socket, "kill-server"], { stderr: "ignore" });
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

test.each(readdirSync(FIXTURES))("%s and its replay look the same in tmux, half way and at the end", async (file) => {
  const bytes = readFileSync(join(FIXTURES, file));
  using tmux = new Tmux();
  await tmux.run("start-server", ";", "set", "-g", "exit-empty", "off");
  for (const part of [0.3, 0.6, 0.9, 1]) {
    const cut = endOfSequence(bytes, Math.floor(bytes.length * part));
    using emulator = emulated(SCREEN, bytes.subarray(0, cut));
    const direct = await tmux.shows(bytes.subarray(0, cut));
    const replayed = await tmux.shows(emulator.replay());
    expect(replayed).toEqual(direct);
    expect(rowsOfText(emulator.screen())).toEqual(direct.text.map((row) => row.trimEnd()));
  }
});

/** The next newline: inside a sequence the query would be lost. */
function endOfSequence(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(0x0a, from);
  return at < 0 ? bytes.length : at + 1;
}
