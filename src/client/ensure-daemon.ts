/**
 * A daemon to talk to: the one there is, or a new one. Whatever a dead one left behind is the new one's to clear (daemon/main.ts).
 *
 * Versions: the methods only ever grow, so a client uses a newer daemon as it is. An older one is asked to hand over: it ends, which no session
 * notices, and one of the client's own version takes its place.
 */
import { HoltError } from "../protocol/errors.ts";
import { isOlder, VERSION } from "../protocol/version.ts";
import type { Layout } from "../transcript/layout.ts";
import { DaemonClient } from "./daemon-client.ts";
import { spawnDaemon } from "./spawn-daemon.ts";

const DEADLINE_MS = 10_000;
const LOOK_MS = 5;
/** A daemon that is just ending may make the first attempt leave again. */
const START_AGAIN_MS = 500;

export async function ensureDaemon(layout: Layout): Promise<DaemonClient> {
  const deadline = performance.now() + DEADLINE_MS;
  let isSilent = false;
  for (let startedAt = Number.NEGATIVE_INFINITY; performance.now() < deadline; await Bun.sleep(LOOK_MS)) {
    const client = await DaemonClient.dial(layout);
    const found = client === null ? "gone" : await look(client, deadline);
    if (client !== null && found === "usable") return client;
    isSilent = found === "silent";
    if (client !== null || performance.now() < startedAt + START_AGAIN_MS) continue;
    startedAt = performance.now();
    spawnDaemon(layout);
  }
  if (isSilent)
    throw new HoltError("ETIMEOUT", "the daemon does not answer", { hint: "`holt daemon restart` replaces it" });
  throw new HoltError("ETIMEOUT", "the daemon does not come up", { hint: `${layout.logFile} may tell why` });
}

/** One that is not usable was hung up on. */
async function look(client: DaemonClient, deadline: number): Promise<"usable" | "gone" | "silent"> {
  const left = (): number => deadline - performance.now();
  try {
    const { version } = await client.call("health.info", {}, { answerMs: left() });
    if (!isOlder(version, VERSION)) return "usable";
    await client.call("daemon.shutdown", {}, { answerMs: left() });
    await client.gone(left());
  } catch (error) {
    if (error instanceof HoltError && error.code === "ETIMEOUT") {
      client[Symbol.dispose]();
      return "silent";
    }
    // it ended meanwhile
  }
  client[Symbol.dispose]();
  return "gone";
}
