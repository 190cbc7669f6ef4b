/** A live shell of the real executable, given commands as any client would. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { execInShell, type ShellExecRequest, type ShellExecResult } from "../../src/client/sessions/shell-exec.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { decodeOnlcr } from "../../src/protocol/wire/onlcr.ts";
import type { ShellCommand, ShellName } from "../../src/protocol/types/shell-command.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

export const SHELLS: readonly ShellName[] = ["bash", "zsh", "fish"];

export class LiveShell implements AsyncDisposable {
  readonly bench: Bench;
  readonly sessions: LocalSessions;
  readonly id = "s";

  private constructor(bench: Bench) {
    this.bench = bench;
    this.sessions = new LocalSessions(layoutAt(bench.state));
  }

  /** With a home of its own: nobody's files are read. `files` are put there first. */
  static async start(
    argv: readonly string[],
    files: Record<string, string> = {},
    options: readonly string[] = [],
  ): Promise<LiveShell> {
    const bench = new Bench({ LANG: "C.UTF-8", LC_ALL: "C.UTF-8", PS1: "$ " });
    const home = join(bench.root, "home");
    mkdirSync(home);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), ZDOTDIR: home, TMPDIR: home };
    const { exitCode, stderr } = await bench.run(["start", "--session-id", "s", ...options, "--", ...argv], { env });
    if (exitCode !== 0) throw new Error(stderr);
    return new LiveShell(bench);
  }

  exec(command: string | Uint8Array, options: Partial<ShellExecRequest> = {}): Promise<ShellExecResult> {
    return execInShell(this.sessions, this.id, {
      command: typeof command === "string" ? bytesOf(command) : command,
      timeoutMs: 60_000,
      maxBytes: 64 * 1024 * 1024,
      takeover: false,
      signal: new AbortController().signal,
      ...options,
    });
  }

  /** What the program printed, as text. */
  async text(command: string): Promise<string> {
    return Buffer.from(decodeOnlcr((await this.exec(command)).bytes)).toString();
  }

  async send(...keys: string[]): Promise<void> {
    await this.bench.run(["send", this.id, ...keys]);
  }

  async prompt(): Promise<number | null> {
    return (await this.bench.run(["wait", this.id, "--until", "prompt", "--timeout", "30s"])).exitCode;
  }

  /** Until it has read what was typed, and done what there is to do about it: fish misses a Ctrl-C that comes meanwhile. */
  async reads(): Promise<void> {
    const { exitCode, stderr } = await this.bench.run(["wait", this.id, "--until", "input", "--timeout", "30s"]);
    if (exitCode !== 0) throw new Error(`it does not read: ${stderr}`);
  }

  /** Its lines, up to the last that is not empty. */
  async screen(): Promise<string[]> {
    const { text } = await this.bench.run(["screen", this.id]);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd());
  }

  commands(limit = 1000): ShellCommand[] {
    return this.sessions.commands(this.id, limit).commands;
  }

  /** The last one, once it has ended. */
  async ended(): Promise<ShellCommand> {
    await until("the last command has ended", () => this.commands(1)[0]?.ended_at != null);
    return this.commands(1)[0] as ShellCommand;
  }

  prints(text: string): Promise<void> {
    return until(`it prints ${JSON.stringify(text)}`, () => this.bench.output(this.id).includes(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench.run(["kill", this.id]);
    this.bench[Symbol.dispose]();
  }
}

/** Without files, so that a shell comes up as it is. */
export const BARE: Record<ShellName, readonly string[]> = {
  bash: ["bash", "--norc"],
  zsh: ["zsh", "-f"],
  fish: ["fish", "--no-config"],
};

export function quoted(shell: ShellName, word: string): string {
  if (shell === "fish") return `'${word.replace(/[\\']/g, "\\$&")}'`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: { code?: string; message?: string }) => `${error.code}: ${error.message}`,
  );
}

export const textOf = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString();
