/** The command line in a real terminal emulator. */
import { describe, expect, test } from "bun:test";
import { HOLT } from "../support/holt.ts";
import { ago, CommandLine } from "./command-line.ts";

class Pane implements Disposable {
  readonly #line: CommandLine;

  constructor(line: CommandLine, { cols, rows }: { cols: number; rows: number }) {
    this.#line = line;
    const size = ["-x", String(cols), "-y", String(rows)];
    this.#tmux(["-f", "/dev/null", "new-session", "-d", ...size, "env", "PS1=$ ", "bash", "--norc", "--noprofile"]);
  }

  /** Types a command and waits until what it printed is followed by the next prompt. */
  async shows(command: string): Promise<string> {
    this.#tmux(["send-keys", "-R", `clear; ${command}`, "Enter"]);
    this.#tmux(["clear-history"]);
    const deadline = performance.now() + 20_000;
    for (;;) {
      const screen = this.#tmux(["capture-pane", "-p"]).trimEnd();
      if (!screen.includes("clear; ") && screen.endsWith("\n$")) return screen.slice(0, -1);
      if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(screen)}`);
      await Bun.sleep(20);
    }
  }

  ask(format: string): string {
    return this.#tmux(["display-message", "-p", format]).trimEnd();
  }

  colours(): string {
    return this.#tmux(["capture-pane", "-pe"]);
  }

  #tmux(args: string[]): string {
    const env = { ...this.#line.env, TMUX_TMPDIR: this.#line.root, LC_ALL: "C.UTF-8", TERM: "xterm-256color", HOLT };
    const { stdout, stderr, exitCode } = Bun.spawnSync(["tmux", "-u", "-L", "holt", ...args], { env });
    if (exitCode !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  [Symbol.dispose](): void {
    this.#tmux(["kill-server"]);
  }
}

describe("In tmux", () => {
  test("The table is aligned, also with wide characters, and has colour.", async () => {
    using line = new CommandLine();
    line.ended("m81xz0", {
      output: ["3 failed, 120 passed\n"],
      meta: { name: "テスト", argv: ["bun", "test"], created_at: ago(63) },
      final: { exit_code: 1 },
    });
    line.ended("p07c4d", {
      meta: { argv: ["psql", "-h", "prod"], created_at: ago(7300) },
      final: { state: "signaled", exit_code: null, signal: "SIGTERM" },
    });
    using web = line.running("k3f9q2", { name: "web", argv: ["npm", "run", "dev"], created_at: ago(125) });
    web.print("ready on http://localhost:3100\n");
    using pane = new Pane(line, { cols: 72, rows: 12 });
    expect(await pane.shows('"$HOLT" ls')).toBe(
      [
        "ID      NAME    STATE               AGE  COMMAND       LAST OUTPUT",
        "k3f9q2  web     ● running           2m   npm run dev   ready on http://…",
        "m81xz0  テスト  ✗ exited 1          1m   bun test      3 failed, 120 pa…",
        "p07c4d  –       ✗ signaled SIGTERM  2h   psql -h prod",
        "",
      ].join("\n"),
    );
    expect(pane.colours()).toMatch(/\x1b\[[\d;]*32m● running/);
    expect(pane.colours()).toMatch(/\x1b\[[\d;]*31m✗ exited 1/);
  });

  test("Reading a transcript does not change the title, screen, modes or keyboard of the terminal.", async () => {
    using line = new CommandLine();
    const attacks = [
      "first\r\n\x1b]0;owned\x07\x1b]2;owned\x1b\\\x1bkowned\x1b\\",
      "\x1b[2J\x1b[H\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?2004h\x1b=\x1b(0\x0e",
      "\x1b[5n\x1b[6n\x1b[c\x1b]52;c;b3duZWQ=\x07\x9b2J\xc2\x9b2J\x1bP+q544e\x1b\\",
      "\x1b[3;1H\x1b[1Jlast\r\n\x1b[8m",
    ];
    line.ended("evil", { output: attacks.map((attack) => Buffer.from(attack, "latin1")) });
    using pane = new Pane(line, { cols: 60, rows: 12 });
    const modes = "#{pane_title} #{alternate_on} #{cursor_flag} #{keypad_flag} #{mouse_any_flag} #{buffer_size}";
    const before = pane.ask(modes);
    expect(await pane.shows('"$HOLT" logs evil')).toBe("first\nlast\n");
    expect(pane.ask(modes)).toBe(before);

    line.ended("title", { output: ["\x1b]2;owned\x07bytes\r\n"] });
    expect(await pane.shows('"$HOLT" logs --raw title')).toBe("bytes\n");
    expect(pane.ask("#{pane_title}")).toBe("owned");
  });
});
