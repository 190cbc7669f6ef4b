/**
 * One session, attached from several panes of a private tmux, each of its own size, beside the same program run bare at the session's size.
 * What they show of the session is compared cell by cell, colours and cursor included.
 */
import { Bench, HOLT } from "../support/holt.ts";

const DEADLINE_MS = 20_000;
const LOOK_EVERY_MS = 20;
const STEADY_LOOKS = 3;
const END_OF_LOOK = "\x1fend of look\x1f";

export interface Size {
  cols: number;
  rows: number;
}

/** The cells that a screen of that size has, as tmux draws them, and where the cursor stands. */
export interface Cells {
  rows: string[];
  cursor: string;
}

export class AttachedPanes implements AsyncDisposable {
  readonly bench: Bench;
  readonly #server = `attached-${crypto.randomUUID()}`;
  #session = "";

  constructor(extra: Record<string, string> = {}) {
    this.bench = new Bench({
      XDG_RUNTIME_DIR: "/nonexistent", // where fish would leave a file
      LC_ALL: "C.UTF-8",
      PS1: "$ ",
      HISTFILE: "",
      ESCDELAY: "25",
      TERM: "tmux-256color",
      COLORTERM: "",
      ...extra,
    });
    this.tmux([
      ["start-server"],
      ["set", "-g", "default-terminal", "tmux-256color"],
      ["set", "-g", "status", "off"],
      ["set", "-g", "remain-on-exit", "on"],
      ["set", "-s", "escape-time", "0"],
      ["new-session", "-d", "-s", "anchor", "-x", "20", "-y", "5", "cat"],
    ]);
  }

  get session(): string {
    return this.#session;
  }

  async start(argv: readonly string[], { cols, rows }: Size): Promise<void> {
    const { text, stderr, exitCode } = await this.bench.run(["start", "--size", `${cols}x${rows}`, "--", ...argv]);
    if (exitCode !== 0) throw new Error(`holt start: ${stderr}`);
    this.#session = text.trim();
  }

  attach(pane: string, size: Size, options: readonly string[] = []): void {
    this.run(pane, size, [HOLT, "attach", ...options, this.#session]);
  }

  run(pane: string, { cols, rows }: Size, argv: readonly string[]): void {
    const window = ["new-session", "-d", "-s", pane, "-x", String(cols), "-y", String(rows), "-c", this.bench.root];
    this.tmux([[...window, ...argv]]);
  }

  resize(pane: string, { cols, rows }: Size): void {
    this.tmux([["resize-window", "-t", pane, "-x", String(cols), "-y", String(rows)]]);
  }

  keys(pane: string, ...keys: readonly string[]): void {
    this.tmux([["send-keys", "-t", pane, ...keys.map((key) => key.replace(/;$/, "\\;"))]]);
  }

  /** As a person leaves: Ctrl-\ d. */
  async detach(pane: string): Promise<void> {
    this.keys(pane, "C-\\", "d");
    await this.until(
      () => this.#format(pane, "#{pane_dead}") === "1",
      () => `${pane} is still attached`,
    );
  }

  close(pane: string): void {
    this.tmux([["kill-session", "-t", pane]]);
  }

  /** The upper left part of a pane. */
  cells(pane: string, { cols, rows }: Size): Cells {
    const out = this.tmux([
      ["display-message", "-p", "-t", pane, "#{cursor_x},#{cursor_y} #{cursor_flag}"],
      ["display-message", "-p", END_OF_LOOK],
      ["capture-pane", "-p", "-e", "-N", "-t", pane],
    ]);
    const [cursor = "", screen = ""] = out.split(`${END_OF_LOOK}\n`);
    return { rows: cellsOf(screen, { cols, rows }), cursor: cursor.trim() };
  }

  /** As `capture-pane -e` has it. */
  captured(pane: string): string {
    return this.tmux([["capture-pane", "-p", "-e", "-N", "-t", pane]]);
  }

  text(pane: string): string {
    return this.tmux([["capture-pane", "-p", "-t", pane]]);
  }

  /** Its lines, with what has left the screen. */
  history(pane: string): string[] {
    return this.tmux([["capture-pane", "-p", "-S", "-", "-t", pane]])
      .split("\n")
      .map((line) => line.trimEnd());
  }

  async shows(pane: string, sign: string | RegExp): Promise<void> {
    const seen = (): boolean =>
      typeof sign === "string" ? this.text(pane).includes(sign) : sign.test(this.text(pane));
    await this.until(seen, () => `${pane} never shows ${String(sign)}:\n${this.text(pane)}`);
  }

  /** Resolves when all show the same on the session's cells, and go on doing so. */
  async agree(panes: readonly string[], size: Size): Promise<void> {
    let steady = 0;
    let last: Cells[] = [];
    await this.until(
      () => {
        const looks = panes.map((pane) => this.cells(pane, size));
        const same = looks.every((look) => Bun.deepEquals(look, looks[0])) && Bun.deepEquals(looks, last);
        last = looks;
        steady = same ? steady + 1 : 0;
        return steady >= STEADY_LOOKS;
      },
      () => panes.map((pane, index) => `${pane} ${last[index]?.cursor}:\n${last[index]?.rows.join("\n")}`).join("\n"),
    );
  }

  async until(isSo: () => boolean, story: () => string): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(story());
      await Bun.sleep(LOOK_EVERY_MS);
    }
  }

  #format(pane: string, format: string): string {
    return this.tmux([["display-message", "-p", "-t", pane, format]]).trim();
  }

  tmux(commands: readonly string[][]): string {
    const words = commands.flatMap((command) => [...command, ";"]).slice(0, -1);
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      ["tmux", "-u", "-f", "/dev/null", "-L", this.#server, ...words],
      {
        env: this.bench.env,
      },
    );
    if (exitCode !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#session !== "") await this.bench.run(["kill", this.#session]);
    this.tmux([["kill-server"]]);
    this.bench[Symbol.dispose]();
  }
}

export type Look = ReadonlyMap<string, string>;

/** What tmux captured, cell by cell: colours that are still on at the end of a line hold in the next. */
export function looksOf(screen: string, { cols, rows }: Size): { segment: string; look: Look }[][] {
  let look: Look = new Map<string, string>();
  return screen
    .split("\n")
    .slice(0, rows)
    .map((line) => {
      let width = 0;
      const cells: { segment: string; look: Look }[] = [];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for
      for (const part of line.split(/(\x1b\[[\d;:]*m|[\x0e\x0f])/)) {
        if (part.startsWith("\x1b")) look = applied(look, part.slice(2, -1));
        else if (part === "\x0e" || part === "\x0f") look = new Map(look).set("charset", part === "\x0e" ? "1" : "");
        else {
          for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(part)) {
            const columns = Bun.stringWidth(segment);
            if (width + columns > cols) break;
            width += columns;
            cells.push({ segment, look });
          }
        }
      }
      return cells;
    });
}

function cellsOf(screen: string, size: Size): string[] {
  return looksOf(screen, size).map(
    (row) =>
      row
        .map(({ segment, look }) => `${segment}${described(look)}`)
        .join("")
        .trimEnd(), // whether a blank was ever written nobody can see
  );
}

function described(look: ReadonlyMap<string, string>): string {
  const set = [...look].filter(([, value]) => value !== "").toSorted(([a], [b]) => a.localeCompare(b));
  return set.length === 0 ? "" : `{${set.map(([key, value]) => `${key}${value}`).join(" ")}}`;
}

/** SGR as tmux writes it. */
function applied(before: ReadonlyMap<string, string>, parameters: string): Map<string, string> {
  const look = new Map(before);
  const codes = parameters.split(";");
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    const number = Number.parseInt(code === "" ? "0" : code, 10);
    if (number === 0) for (const key of look.keys()) look.set(key, key === "charset" ? (look.get(key) ?? "") : "");
    else if (number === 38 || number === 48 || number === 58) {
      const rest = code.includes(":") ? [code] : codes.splice(0, codes[0] === "2" ? 4 : 2);
      look.set(number === 38 ? "fg" : number === 48 ? "bg" : "us", rest.join(";"));
    } else if (number === 39) look.set("fg", "");
    else if (number === 49) look.set("bg", "");
    else if ((number >= 30 && number < 38) || (number >= 90 && number < 98)) look.set("fg", code);
    else if ((number >= 40 && number < 48) || (number >= 100 && number < 108)) look.set("bg", code);
    else look.set(`a${number}`, code);
  }
  return look;
}
