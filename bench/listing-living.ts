/** The lists of a new daemon: of sessions that write all the time, against as many idle ones. */
import { compare, rounds, type Sample } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const SESSIONS = 100;
const AT_ONCE = 4;
/** A line ten times a second, without a process for each: the processor is the daemon's. */
const WRITES = ["bash", "-c", "exec {never}<> <(:); while :; do echo line; read -rt 0.1 -u $never; done"];
const IDLES = ["sleep", "600"];
/** Until they have written for a while, and the holders are at rest. */
const SETTLED_MS = 5000;
const FIRST = 1;
const LATER = 20;

export async function listingLiving(holt: string): Promise<Section[]> {
  await using idle = new Stage(holt);
  await using writing = new Stage(holt);
  await fill(idle, IDLES);
  await fill(writing, WRITES);
  await Bun.sleep(SETTLED_MS);
  const results = await compare(
    {
      [`the first list of ${SESSIONS} idle sessions`]: () => lists(idle, FIRST),
      [`the first list of ${SESSIONS} that write`]: () => lists(writing, FIRST),
      [`${LATER} lists of ${SESSIONS} idle sessions`]: () => lists(idle, LATER),
      [`${LATER} lists of ${SESSIONS} that write`]: () => lists(writing, LATER),
    },
    rounds(7),
  );
  const about =
    "`session.list` over the socket of a daemon that has just been started. Those that write print a line ten times a second.";
  return [standings("A list of living sessions", about, results)];
}

async function fill(stage: Stage, argv: readonly string[]): Promise<void> {
  await stage.daemon();
  for (let i = 0; i < SESSIONS; i += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => stage.holt("start", "--", ...argv)));
}

/** Of a daemon of its own: the sessions outlive the one before. */
async function lists(stage: Stage, count: number): Promise<Sample> {
  await stage.holt("daemon", "stop");
  await stage.daemon();
  using client = await stage.client();
  const began = performance.now();
  for (let i = 0; i < count; i++) await client.call("session.list", { limit: SESSIONS });
  return { ms: performance.now() - began };
}
