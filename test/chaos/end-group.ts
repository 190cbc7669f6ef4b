/**
 * Ends a tree whose processes are in a control group: end-group.ts GROUP PROGRAM LOCK [apart]. Prints what became of it. `apart`: beside the tree runs what looks
 * like a holder that was started from inside, which is this program again.
 */
import { ControlGroup } from "../../src/platform/process/cgroup.ts";
import { processStatus } from "../../src/platform/process/processes.ts";
import { HOLDER_COMMAND } from "../../src/protocol/wire/start-request.ts";
import { killTree } from "../../src/process/end-tree.ts";
import { becomeSubreaper } from "../../src/process/own-children.ts";
import { until } from "./size.ts";

const LIFE_MS = 30_000;
const [, script = "", first = "", program = "", lock = "", how] = process.argv;

if (first === HOLDER_COMMAND) await Bun.sleep(LIFE_MS);
else await end(first);

async function end(path: string): Promise<void> {
  becomeSubreaper();
  const group = new ControlGroup(path, { memoryBytes: null, processes: null });
  process.stdout.write("made\n");
  for await (const line of console) if (line === "go") break;
  const inside = (...argv: string[]): Bun.Subprocess<"ignore", "pipe", "inherit"> =>
    Bun.spawn(["sh", "-c", `echo 0 > ${path}/cgroup.procs; exec "$@"`, "sh", ...argv], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  const apart = how === "apart" ? inside("setsid", process.execPath, script, HOLDER_COMMAND) : null;
  if (apart !== null) await until("it leads a session", () => processStatus(apart.pid)?.session === apart.pid);
  const hopping = inside(program, "20", "10", lock);
  await new Response(hopping.stdout.pipeThrough(untilFirst())).text();
  const isEnded = await killTree({ helpers: new Set(), foreign: new Set(), group });
  const isFrozen = (await Bun.file(`${path}/cgroup.freeze`).text()).trim() === "1";
  console.log(JSON.stringify({ isEnded, isFrozen, apartLives: apart !== null && apart.exitCode === null }));
  apart?.kill("SIGKILL");
  process.exit(0);
}

/** Ends with the first piece: those that hop hold the pipe open. */
function untilFirst(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece);
      controller.terminate();
    },
  });
}
