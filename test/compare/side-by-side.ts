/**
 * One program twice in a private tmux, bare and through `holt run`, driven by the same keys and compared cell by cell.
 *
 * Both sides are an interactive bash in which `via PROGRAM` runs the program: what is typed, and what the shell says about it, is the
 * same on both. A step is over when both screens show what it is to bring about, are the same, and stay so for a few looks.
 */
import { test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isSame } from "../../src/platform/process/processes.ts";
import type { ProcessIdentity } from "../../src/protocol/types/session.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { differences, type Look, LOOK_FORMAT, parseLook, shows } from "./look.ts";

const SIDES = ["bare", "holt"] as const;
const ROUNDS = process.env["HOLT_SOAK"] === "1" ? 20 : 1;
const DEADLINE_MS = 15_000;
const LOOK_EVERY_MS = 10;
/** The same, and the same as before, so often in a row. */
const STEADY_LOOKS = 3;
const END_OF_LOOK = "\x1fend of look\x1f";

/** The shell's, on a screen that is its own again. */
export const PROMPT = /alternate screen 0[^]*\n\$$/;

/** What a step must bring to the screen, or to the state above it (look.ts). */
export type Sign = string | RegExp;

/** How each side starts a program, in the words of sh(1). */
export interface Starters {
  bare: string;
  holt: string;
}

const STARTERS: Starters = { bare: 'exec "$@"', holt: `exec "${HOLT}" run -- "$@"` };

/** A test that compares; often, when soaking. */
export function compare(title: string, scenario: (pair: SideBySide) => Promise<void>): void {
  test(title, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using pair = new SideBySide();
      await scenario(pair);
    }
  });
}

export class SideBySide implements AsyncDisposable {
  readonly #bench = new Bench({ LC_ALL: "C.UTF-8", PS1: "$ ", HISTFILE: "", ESCDELAY: "25", TERM: "xterm-256color" });
  readonly #server = `compare-${crypto.randomUUID()}`;

  constructor(starters: Starters = STARTERS) {
    const { root } = this.#bench;
    const start = [
      ["start-server"],
      ["set", "-g", "default-terminal", "tmux-256color"],
      ["set", "-g", "status", "off"],
      ["set", "-s", "escape-time", "0"],
    ];
    for (const side of SIDES) {
      const bin = join(root, side, "bin");
      const home = this.#home(side);
      mkdirSync(bin, { recursive: true });
      mkdirSync(home);
      writeFileSync(join(bin, "via"), `#!/bin/sh\n${starters[side]}\n`, { mode: 0o755 });
      const shell = ["env", `PATH=${bin}:${this.#bench.env["PATH"]}`, `HOME=${home}`, "bash", "--norc", "--noprofile"];
      start.push(["new-session", "-d", "-s", side, "-x", "100", "-y", "30", "-c", home, ...shell]);
    }
    this.#tmux(start);
  }

  /** A file that both sides have in their working directory. */
  file(name: string, content: string | Uint8Array): void {
    for (const side of SIDES) writeFileSync(join(this.#home(side), name), content);
  }

  /** Types a line, no longer than the screen is wide, at the shell's prompt and waits for the sign. */
  async shell(line: string, sign: Sign): Promise<void> {
    await this.agree(/\$$/);
    await this.keys(["-l", line], line);
    await this.keys(["Enter"], sign);
  }

  /** Keys as tmux's send-keys takes them; with `-l` in front they are text. */
  async keys(keys: readonly string[], sign: Sign): Promise<void> {
    this.send(keys);
    await this.agree(sign);
  }

  send(keys: readonly string[]): void {
    const words = keys.map((key) => key.replace(/;$/, "\\;"));
    this.#tmux(SIDES.map((side) => ["send-keys", "-t", side, ...words]));
  }

  /** Resizes both windows at once. */
  resize(cols: number, rows: number): void {
    this.#tmux(SIDES.map((side) => ["resize-window", "-t", side, "-x", String(cols), "-y", String(rows)]));
  }

  async resized(cols: number, rows: number, sign: Sign): Promise<void> {
    this.resize(cols, rows);
    await this.agree(sign);
  }

  /** Resolves when both sides show the sign and do not differ; fails with where they do. */
  async agree(sign: Sign): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    let last: readonly [Look, Look] | null = null;
    for (let steady = 0; steady < STEADY_LOOKS; await Bun.sleep(LOOK_EVERY_MS)) {
      const [bare, holt] = this.#looks();
      const same = shows(bare, sign) && differences(bare, holt).length === 0;
      steady = same && (steady === 0 || Bun.deepEquals(last, [bare, holt])) ? steady + 1 : Number(same);
      last = [bare, holt];
      if (performance.now() > deadline && steady < STEADY_LOOKS) throw new Error(disagreement(bare, holt, sign));
    }
  }

  /** What differs now. */
  differences(): string[] {
    return differences(...this.#looks());
  }

  #looks(): [Look, Look] {
    const commands = SIDES.flatMap((side) => [
      ["display-message", "-p", "-t", side, LOOK_FORMAT],
      ["capture-pane", "-p", "-e", "-N", "-S", "-", "-t", side],
      ["display-message", "-p", END_OF_LOOK],
    ]);
    const [bare = "", holt = ""] = this.#tmux(commands).split(`${END_OF_LOOK}\n`);
    return [parseLook(bare), parseLook(holt)];
  }

  #home(side: (typeof SIDES)[number]): string {
    return join(this.#bench.root, side, "home");
  }

  /** All in one turn of the server, so that what is asked is of one moment. */
  #tmux(commands: readonly string[][]): string {
    const words = commands.flatMap((command) => [...command, ";"]).slice(0, -1);
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      ["tmux", "-u", "-f", "/dev/null", "-L", this.#server, ...words],
      {
        env: this.#bench.env,
      },
    );
    if (exitCode !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Holders write their last record after their terminal has gone: not into a directory that is being removed.
    const panes = this.#tmux([["list-panes", "-a", "-F", "#{pane_pid}"]])
      .trim()
      .split("\n")
      .map(Number);
    const waited = [...panes.map(identityOf), ...this.#holders()];
    this.#tmux([["kill-server"]]);
    const deadline = performance.now() + DEADLINE_MS;
    // Whoever stays is named by the runner: an error from here would hide the one of the test.
    while (waited.some(isSame) && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
    this.#bench[Symbol.dispose]();
  }

  #holders(): ProcessIdentity[] {
    try {
      return this.#bench.ids.map((id) => this.#bench.meta(id).holder);
    } catch {
      return []; // none was started
    }
  }
}

function disagreement(bare: Look, holt: Look, sign: Sign): string {
  const found = differences(bare, holt);
  const story = found.length > 0 ? [`${found.length} differences:`, ...found] : ["no difference"];
  return [`waiting for ${String(sign)}:`, ...story, "bare:", ...bare.state, bare.screen].join("\n");
}
