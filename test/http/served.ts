/** A daemon of the test's own that serves HTTP. */
import { afterAll, beforeAll } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { HttpPlace } from "./http-place.ts";

/** `toml`: its configuration, which is there before it starts. */
export class ServedBench implements AsyncDisposable {
  readonly bench: Bench;
  readonly http: HttpPlace;

  private constructor(bench: Bench, http: HttpPlace) {
    this.bench = bench;
    this.http = http;
  }

  static async open(toml = "", extra: Record<string, string> = {}): Promise<ServedBench> {
    const bench = Bench.withDaemon(extra);
    if (toml !== "") configure(bench, toml);
    await bench.run(["daemon"]);
    return new ServedBench(bench, await HttpPlace.of(bench));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.bench);
    this.bench[Symbol.dispose]();
  }
}

/** One for all tests of a file, or of what it is called in. */
export function servedThroughout(): Pick<ServedBench, "bench" | "http"> {
  let served: ServedBench | null = null;
  beforeAll(async () => {
    served = await ServedBench.open();
  });
  afterAll(async () => served?.[Symbol.asyncDispose]());
  const known = (): ServedBench => {
    if (served === null) throw new Error("only within a test");
    return served;
  };
  return {
    get bench() {
      return known().bench;
    },
    get http() {
      return known().http;
    },
  };
}

/** That of a tab which came with a ticket for everything. */
export async function pageKey({ bench, http }: Pick<ServedBench, "bench" | "http">): Promise<PageKey> {
  using client = await dial(bench);
  const { ticket } = await client.call("web.ticket", {});
  return (await http.post("/api/v1/web/session", { ticket }, { token: null })).body.data as PageKey;
}

interface PageKey {
  token: string;
  token_id: string;
}

/** What the daemon wrote of itself. */
export function logOf({ state }: Bench): string {
  const path = join(state, "log", "holt.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
