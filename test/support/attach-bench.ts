/** Background sessions with people attached to them. */
import { expect } from "bun:test";
import { Bench, HOLT } from "./holt.ts";
import { TerminalUser } from "./terminal.ts";

/** Ctrl-\ d. */
export const LEAVE = "\x1cd";
/** Echoes what it is sent, and says so. */
export const ECHO = 'echo ready; while read -r line; do echo "got $line"; done';
export const SIZE = { cols: 80, rows: 24 };

export interface ListedClient {
  client_id: string;
  role: string;
  size: { cols: number; rows: number } | null;
}

export class AttachBench extends Bench {
  /** A script of bash, on a terminal of 80x24. */
  async start(script: string, options: readonly string[] = []): Promise<string> {
    const command = ["start", "--size", "80x24", ...options, "--", "bash", "-c", script];
    const { text, stderr, exitCode } = await this.run(command);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return text.trim();
  }

  attach(id: string, options: readonly string[] = [], size = SIZE): TerminalUser {
    return new TerminalUser([HOLT, "attach", ...options, id], { env: this.env, cwd: this.root, ...size });
  }

  async clients(id: string): Promise<ListedClient[]> {
    const { text } = await this.run(["clients", id, "--json"]);
    return (JSON.parse(text) as { clients: ListedClient[] }).clients;
  }

  async attached(id: string, count: number): Promise<void> {
    let seen = -1;
    for (const deadline = performance.now() + 10_000; seen !== count; seen = (await this.clients(id)).length)
      if (performance.now() > deadline) throw new Error(`${seen} clients, not ${count}`);
  }

  async end(...ids: string[]): Promise<void> {
    await this.run(["kill", ...ids]);
  }
}
