/**
 * What the emulator needs for a transcript when nothing else is to be done, in a process of its own: a file as it was captured, on a screen of
 * 80x24. Prints two times in milliseconds: xterm as it comes, fed the fastest way it has, and holt's around it. Both are warm. alone FILE
 */
import { Terminal } from "@xterm/headless";
import { Emulator } from "../src/terminal/emulator/emulator.ts";

const SIZE = { cols: 80, rows: 24, scrollback: 1000 };
const PIECE = 1024 * 1024;
const WARM_UP = 32 * PIECE;

const bytes = await Bun.file(process.argv[2] ?? "").bytes();
const write = [byLibrary, byEmulator];
for (const measured of write) measured(bytes.subarray(0, WARM_UP));
console.log(write.map((measured) => measured(bytes).toFixed(1)).join(" "));

function byLibrary(output: Uint8Array): number {
  const terminal = new Terminal({ ...SIZE, allowProposedApi: true, logLevel: "off" });
  const { _core: core } = terminal as unknown as { _core: { writeSync(bytes: Uint8Array): void } };
  const ms = fed(output, (piece) => core.writeSync(piece));
  terminal.dispose();
  return ms;
}

function byEmulator(output: Uint8Array): number {
  using emulator = new Emulator(SIZE);
  return fed(output, (piece) => emulator.write(piece));
}

function fed(output: Uint8Array, feed: (piece: Uint8Array) => void): number {
  const started = performance.now();
  for (let at = 0; at < output.length; at += PIECE) feed(output.subarray(at, at + PIECE));
  return performance.now() - started;
}
