/** An interactive program, driven as an agent would: only by sending to it and waiting for it, each wait from where the last one ended. */
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { withDaemon } from "../daemon/household.ts";
import type { Bench } from "../support/holt.ts";
import { size } from "../chaos/size.ts";

const PATIENCE_MS = 60_000;

export class Driver {
  readonly client: DaemonClient;
  readonly id: string;
  #cursor = "0";

  constructor(client: DaemonClient, id: string) {
    this.client = client;
    this.id = id;
  }

  async type(text: string): Promise<void> {
    await this.client.call("session.send", { session_id: this.id, text });
  }

  async press(...keys: string[]): Promise<void> {
    await this.client.call("session.send", { session_id: this.id, keys });
  }

  /** What matched, printed since the last thing that was waited for. */
  async prints(match: string): Promise<string> {
    const waited = await this.#wait([{ match }]);
    if (waited.outcome !== "matched") throw new Error(`${waited.outcome}, not ${match}`);
    return waited.match ?? "";
  }

  async shows(screen_match: string): Promise<void> {
    const { outcome } = await this.#wait([{ screen_match }]);
    if (outcome !== "screen_matched") throw new Error(`${outcome}, not ${screen_match} on the screen`);
  }

  async asks(): Promise<string | null> {
    const { outcome, reason } = await this.#wait(["input"]);
    if (outcome !== "input") throw new Error(`${outcome}, where it should wait for input`);
    return reason;
  }

  async exits(): Promise<number | null> {
    const { outcome, exit_code } = await this.#wait(["exit"]);
    if (outcome !== "exited") throw new Error(`${outcome}, where it should have ended`);
    return exit_code;
  }

  async #wait(until: ({ match: string } | { screen_match: string } | "input" | "exit")[]) {
    const call = { session_id: this.id, cursor: this.#cursor, until, timeout_ms: PATIENCE_MS };
    const waited = await this.client.call("session.wait", call);
    this.#cursor = waited.cursor;
    return waited;
  }
}

export interface Program {
  argv: string[];
  cwd?: string;
  env?: Record<string, string>;
}

/** Once in `make test`, twenty times in a row in `make soak`. */
export async function drive(
  program: (bench: Bench) => Program,
  play: (driver: Driver, bench: Bench) => Promise<void>,
): Promise<void> {
  await withDaemon(async (client, bench) => {
    for (let round = 0; round < size(1, 20); round++) {
      const { argv, cwd = bench.root, env = {} } = program(bench);
      const { session_id } = await client.call("session.start", { argv, cwd, env, pty: { cols: 100, rows: 30 } });
      await play(new Driver(client, session_id), bench);
    }
  });
}
