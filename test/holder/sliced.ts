/**
 * In a process of its own, as its poller keeps descriptors for as long as the process lives. A terminal that is filled a little slower than it is read: how many milliseconds each slice
 * of a flood took, as a line of JSON.
 */
import { writeSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { setNonBlocking } from "../../src/platform/descriptors.ts";
import { openPseudoTerminal } from "../../src/platform/terminal-device.ts";
import { OutputPump } from "../../src/process/output-pump.ts";

const BETWEEN_MS = 0.15;
const FOR_MS = 1500;
/** Slices of fewer were ended by a writer that was late. */
const FLOOD_READS = 10;

if (isMainThread) {
  const { master, slave } = openPseudoTerminal();
  setNonBlocking(master);
  const pump = new OutputPump(master, () => {});
  const took: number[] = [];
  const writer = { isDone: false };
  new Worker(import.meta.path, { workerData: slave }).on("message", () => (writer.isDone = true));
  while (!writer.isDone) {
    const [began, before] = [performance.now(), pump.bytesRead];
    pump.slice();
    if (pump.bytesRead - before >= FLOOD_READS * 4000) took.push(performance.now() - began);
    await Bun.sleep(0);
  }
  console.log(JSON.stringify(took));
  process.exit(0);
} else {
  const block = new Uint8Array(4000).fill(120);
  const end = performance.now() + FOR_MS;
  for (let next = performance.now(); next < end; next = performance.now() + BETWEEN_MS) {
    while (performance.now() < next);
    writeSync(workerData as number, block);
  }
  parentPort?.postMessage(null);
}
