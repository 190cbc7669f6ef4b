/** A daemon of the test's own that serves HTTP, at a port of its own. */
import { afterAll, beforeAll } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { Terminal, type TerminalOptions } from "./terminal-client.ts";

/** Says what it reads, line by line. Nothing else is printed. */
export const ECHO = ["bash", "-c", 'stty -echo; echo ready; while read -r line; do echo "got $line"; done'];

export class Served {
  readonly bench: Bench;
  readonly port: number;
  readonly #terminals: Terminal[] = [];
  client: DaemonClient;

  constructor(bench: Bench, client: DaemonClient, port: number) {
    this.bench = bench;
    this.client = client;
    this.port = port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get ownerToken(): string {
    return readFileSync(join(this.bench.state, "owner-token"), "utf8").trim();
  }

  log(name = "holt.jsonl"): Record<string, unknown>[] {
    const lines = readFileSync(join(this.bench.state, "log", name), "utf8")
      .trim()
      .split("\n");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Of 80x24; its id, once it has printed `shown`. */
  async start(argv: string[], more: Record<string, unknown> = {}, shown = "ready"): Promise<string> {
    const { session_id } = await this.client.call("session.start", { argv, pty: { cols: 80, rows: 24 }, ...more });
    if (shown !== "")
      await this.client.call("session.wait", {
        session_id,
        cursor: "0",
        until: [{ match: shown }],
        timeout_ms: 20_000,
      });
    return session_id;
  }

  async token(session_id: string, role: "viewer" | "driver", expires_in_seconds?: number): Promise<string> {
    return (await this.made(session_id, role, expires_in_seconds)).token;
  }

  async made(session_id: string, role: "viewer" | "driver", expires_in_seconds?: number) {
    return this.client.call("token.create", {
      session_id,
      role,
      ...(expires_in_seconds === undefined ? {} : { expires_in_seconds }),
    });
  }

  /** Attached with the owner's token, unless another is given; closed with the test. */
  async attach(id: string, options: Partial<TerminalOptions> = {}): Promise<Terminal> {
    const token = options.token === undefined ? this.ownerToken : options.token;
    const terminal = new Terminal({ ...options, host: this.host, id, token });
    this.#terminals.push(terminal);
    await until("it is answered", () => terminal.isOpen || terminal.closedWith !== null);
    return terminal;
  }

  async call(method: string, params: object, token = this.ownerToken): Promise<{ status: number; body: Body }> {
    return this.post(`/api/v1/${method.replace(".", "/")}`, params, token);
  }

  async post(path: string, params: object, token: string | null): Promise<{ status: number; body: Body }> {
    const response = await fetch(`http://${this.host}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(params),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** As a crash does; another takes its place, at the same port. */
  async killDaemon(): Promise<void> {
    const before = this.bench.daemonPid;
    this.bench.killDaemon();
    await until("the daemon is gone", () => this.bench.daemonPid !== before);
    await this.bench.run(["daemon"]);
    this.client = await dial(this.bench);
    await until("HTTP is served again", async () => (await this.#health()) === 200);
  }

  close(): void {
    for (const terminal of this.#terminals) terminal.close();
    this.client[Symbol.dispose]();
  }

  async #health(): Promise<number> {
    try {
      return (await fetch(`http://${this.host}/healthz`)).status;
    } catch {
      return 0;
    }
  }
}

export interface Body {
  apiVersion: string;
  data?: Record<string, unknown>;
  error?: { code: string; message: string; hint: string | null };
}

/** One for all tests of a file. */
export function sharedWeb(config = ""): () => Served {
  const [made, over] = [Promise.withResolvers<Served>(), Promise.withResolvers<void>()];
  let [served, running]: [Served | null, Promise<void> | null] = [null, null];
  beforeAll(async () => {
    running = withWeb(async (own) => {
      made.resolve(own);
      await over.promise;
    }, config);
    served = await Promise.race([made.promise, running.then(() => null)]);
  });
  afterAll(async () => {
    over.resolve();
    await running;
  });
  return () => {
    if (served === null) throw new Error("HTTP is not served");
    return served;
  };
}

export async function withWeb(work: (served: Served) => Promise<void>, config = ""): Promise<void> {
  using bench = Bench.withDaemon();
  if (config !== "") configure(bench, config);
  await bench.run(["daemon"]);
  try {
    const client = await dial(bench);
    const { port } = await client.call("web.start", { port: 0 });
    const served = new Served(bench, client, port);
    try {
      await work(served);
    } finally {
      served.close();
    }
  } finally {
    await end(bench);
  }
}
