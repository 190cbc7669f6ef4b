/** A state directory, a daemon and a tmux server of a benchmark's own; nothing of them is left when it is over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { LocalSessions } from "../src/client/sessions/local-sessions.ts";
import type { Session } from "../src/protocol/types/session.ts";
import { layoutAt } from "../src/transcript/layout.ts";

export class Stage implements AsyncDisposable {
  readonly cwd = mkdtempSync(join(tmpdir(), "hb-"));
  readonly state = join(this.cwd, "state");
  readonly env: Record<string, string>;
  readonly #holt: string;
  #hasTmux = false;

  constructor(holt: string, more: Record<string, string> = {}) {
    this.#holt = holt;
    this.env = {
      ...inherited(),
      HOLT_STATE_DIR: this.state,
      SHELL: "/bin/sh",
      TERM: "xterm-256color",
      TMUX_TMPDIR: this.cwd,
      ...more,
    };
  }

  async holt(...args: string[]): Promise<string> {
    return this.#run([this.#holt, ...args]);
  }

  /** As an argv, for somebody else to run. */
  get tmuxCommand(): string[] {
    return ["tmux", "-L", "bench", "-f", "/dev/null"];
  }

  async tmux(...args: string[]): Promise<string> {
    this.#hasTmux = true;
    return this.#run([...this.tmuxCommand, ...args]);
  }

  session(id: string): Session {
    return new LocalSessions(layoutAt(this.state)).get(id);
  }

  /** A connection to the daemon, which runs. */
  async client(): Promise<DaemonClient> {
    const client = await DaemonClient.dial(layoutAt(this.state));
    if (client === null) throw new Error("no daemon listens");
    return client;
  }

  /** The first at once, the next a moment after the daemon, which has warm holders by then. */
  async start(id: string, ...rest: string[]): Promise<Session> {
    await this.holt("start", "--session-id", id, ...rest);
    return this.session(id);
  }

  async daemon(): Promise<void> {
    await this.holt("daemon");
    await Bun.sleep(1000); // until the holders are warm
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.holt("daemon", "stop", "--stop-sessions", "--grace", "100ms").catch(() => "");
    if (this.#hasTmux) await this.tmux("kill-server").catch(() => "");
    rmSync(this.cwd, { recursive: true, force: true });
  }

  async #run(argv: string[]): Promise<string> {
    const { cwd, env } = this;
    const proc = Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [out, err, code] = await Promise.all([
      new Response(proc.stdout).text(),
      new Response(proc.stderr).text(),
      proc.exited,
    ]);
    if (code !== 0) throw new Error(`${argv.join(" ")} exited ${code}: ${err}`);
    return out;
  }
}

/** Settings of the benchmark itself are not those of what it measures; the mark is that of its processes (main.ts). */
function inherited(): Record<string, string> {
  const isKept = (key: string): boolean => key === "HOLT_TEST_RUN" || !(key.startsWith("HOLT_") || key === "TMUX");
  return Object.fromEntries(Object.entries(process.env as Record<string, string>).filter(([key]) => isKept(key)));
}
