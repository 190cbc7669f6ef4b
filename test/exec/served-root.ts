import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

export const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

export interface Place {
  client: DaemonClient;
  bench: Bench;
  /** What is served. */
  root: string;
  /** What is not. */
  outside: string;
}

/** With a daemon that serves one directory. */
export async function withRoot(env: Record<string, string>, work: (place: Place) => Promise<void>): Promise<void> {
  using bench = Bench.withDaemon(env);
  const [root, outside] = [join(bench.root, "root"), join(bench.root, "outside")];
  for (const directory of [root, outside]) mkdirSync(directory);
  writeFileSync(join(outside, "secret"), "secret");
  bench.env["HOLT_FS_ROOTS"] = root;
  await bench.run(["daemon"]);
  try {
    using client = await dial(bench);
    await work({ client, bench, root, outside });
  } finally {
    await end(bench);
  }
}
