/**
 * holt's command line on its own state directory, with session records of commands that never ran.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Channel, Meta } from "../../src/protocol/types/session.ts";
import { layoutAt, prepareLayout } from "../../src/transcript/layout.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { type Ended, endedSession, metaOf } from "../client/sessions.ts";
import { Bench, collect, HOLT, type Result } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

export class CommandLine extends Bench {
  readonly layout = layoutAt(this.state);

  constructor() {
    super({ TERM: "xterm-256color", HOME: "/nowhere", NO_COLOR: "" });
    prepareLayout(this.layout);
  }

  ended(id: string, session: Ended = {}): void {
    endedSession(this, id, session);
  }

  /** The lock is held here, so the session is running until this is disposed. */
  running(id: string, meta: Partial<Meta> = {}): Running {
    return new Running(this, id, meta);
  }

  /** holt with a terminal as stdin, stdout and stderr. */
  onTerminal(
    args: readonly string[],
    { cols = 80, rows = 24, env = {} }: { cols?: number; rows?: number; env?: Record<string, string> } = {},
  ): TerminalUser {
    return new TerminalUser([HOLT, ...args], { env: { ...this.env, ...env }, cwd: this.root, cols, rows });
  }

  /** A line of shell on a terminal, with `holt` as $HOLT. */
  shellOnTerminal(script: string): TerminalUser {
    return new TerminalUser(["bash", "-c", script], { env: { ...this.env, HOLT }, cwd: this.root });
  }

  /** A bash script with arguments of its own. */
  async bash(script: string, args: readonly string[]): Promise<Result> {
    return collect(["bash", "-c", script, "bash", ...args], { stdin: "", env: { ...this.env, HOLT }, cwd: this.root });
  }

  command(args: readonly string[]): string[] {
    return [HOLT, ...args];
  }

  /** Waits for the session: its meta.json appears by a rename. */
  async untilListed(id: string): Promise<void> {
    const there = (): boolean => existsSync(join(this.layout.sessions, id, "meta.json"));
    const deadline = performance.now() + 20_000;
    while (!there()) {
      if (performance.now() > deadline) throw new Error(`${id} never came`);
      await Bun.sleep(5);
    }
  }

  /** Output on a terminal, with line ends as the terminal shows them. */
  async seen(args: readonly string[], options: { cols?: number; env?: Record<string, string> } = {}): Promise<string> {
    await using user = this.onTerminal(args, options);
    await user.exit();
    return user.text.replaceAll("\r\n", "\n");
  }
}

export class Running implements Disposable {
  readonly #directory: SessionDir;
  readonly #writer: TranscriptWriter;

  constructor(line: CommandLine, id: string, meta: Partial<Meta>) {
    this.#directory = SessionDir.create(line.layout, id);
    this.#directory.lock();
    writeMeta(this.#directory, metaOf(id, meta));
    this.#writer = TranscriptWriter.create(this.#directory, { maxBytes: 1024 ** 3 });
  }

  print(bytes: string | Uint8Array, channel: Channel = "stdout"): void {
    this.#writer.append(channel, Buffer.from(bytes), Date.now());
    this.#writer.flushIndex();
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]();
    this.#directory[Symbol.dispose]();
  }
}

/** RFC 3339, that many seconds before now. */
export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
