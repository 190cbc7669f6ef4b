/** What every example of the table may count on: a daemon, a shell that waits at its prompt, and a session that has ended. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AttachConnection } from "../../src/client/attach/attach-connection.ts";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { viewerRequest } from "../../src/client/read/viewer-request.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

export const SHELL = "k3f9q2";
export const ENDED = "d4k8w1";
/** A tab's key, as a daemon before this one may have left it: one to a session would end with each of those below. */
const KEY = {
  token_id: "t8x2k4",
  kind: "page",
  scope: { kind: "owner" },
  hash: "00".repeat(32),
  created_at: "2026-11-16T00:00:00.000Z",
  expires_at: "2099-01-01T00:00:00.000Z",
};

const NEVER = new AbortController().signal;
/** One of those that are listed. */
const VIEWER = { ...viewerRequest("conformance", { once: false }), passive: false };

export class Household implements AsyncDisposable {
  readonly bench = Bench.withDaemon();
  /** Sessions that the last call changed. */
  readonly #used = new Set([SHELL, ENDED]);
  /** Client c1 of the shell. */
  #viewer: AttachConnection | null = null;

  constructor() {
    mkdirSync(this.bench.state, { mode: 0o700 });
    const keys = JSON.stringify({ format: 1, keys: [KEY] });
    writeFileSync(join(this.bench.state, "tokens.json"), keys, { mode: 0o600 });
  }

  /** The two sessions as they are meant to be, whatever the last call made of them. */
  async prepare(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used.clear();
    using client = await this.#reach();
    for (const session_id of used) {
      await client.call("session.kill", { session_id }).catch(() => {});
      await client.call("session.remove", { session_id }).catch(() => {});
    }
    if (used.includes(SHELL)) await this.#startShell(client);
    if (used.includes(ENDED)) await this.#runToItsEnd(client);
  }

  async #startShell(client: DaemonClient): Promise<void> {
    const argv = ["bash", "--norc", "--noprofile"];
    const env = { PS1: "$ " };
    await client.call("session.start", { session_id: SHELL, argv, env, pty: { cols: 80, rows: 24 } });
    await client.call("session.wait", { session_id: SHELL, cursor: "0", until: [{ match: "\\$ $" }] });
    this.#viewer?.[Symbol.dispose]();
    this.#viewer = await AttachConnection.open(await client.call("session.get", { session_id: SHELL }), VIEWER, NEVER);
    while ((await this.#viewer.next())?.type !== "replay");
  }

  async #runToItsEnd(client: DaemonClient): Promise<void> {
    await client.call("session.start", {
      session_id: ENDED,
      command: `for i in $(seq 200); do echo "line $i"; done`,
      pty: { cols: 80, rows: 24 },
    });
    await client.call("session.wait", { session_id: ENDED, until: ["exit"] });
  }

  /** Something was changed of these sessions. */
  used(ids: readonly string[]): void {
    for (const id of ids) this.#used.add(id);
  }

  dial(): Promise<DaemonClient> {
    return dial(this.bench);
  }

  /** One is started where the last call ended it, as it should. */
  async #reach(): Promise<DaemonClient> {
    const listening = await DaemonClient.dial(layoutAt(this.bench.state));
    if (listening !== null) return listening;
    await this.bench.run(["daemon"]);
    return this.dial();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#viewer?.[Symbol.dispose]();
    await this.bench.run(["daemon"]);
    await end(this.bench);
    rmSync("/tmp/holt-example.txt", { force: true }); // what the example of fs.write_file wrote
    this.bench[Symbol.dispose]();
  }
}
