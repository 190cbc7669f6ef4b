/** How fast the emulator is, and what it takes from the capture while it follows. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { Emulator } from "../src/terminal/emulator/emulator.ts";
import { Renderer } from "../src/rendering/renderer.ts";
import { compare, mebibytes, rounds, type Sample } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const MIB = 24;
const FLOOD_MIB = mebibytes(128);
const FLOOD = FLOOD_MIB * 1024 * 1024;
const PIECE = 64 * 1024;

export async function emulator(holt: string, bin: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [kind, name] of [
    ["plain", "lines"],
    ["colour", "coloured lines"],
    ["tui", "a full-screen program"],
  ] as const) {
    const bytes = await shown(join(bin, "show"), kind);
    const results = await compare(
      {
        "`@xterm/headless`": () => byLibrary(bytes),
        "the emulator": () => byEmulator(bytes),
        "a reader of the transcript": () => byRenderer(bytes),
      },
      rounds(5),
    );
    sections.push(
      standings(
        `The emulator: ${name}`,
        `${MIB} MiB onto a screen of 80x24 with 1000 lines above it. The baseline is the library as it comes. A reader of the transcript may skip what only scrolls by.`,
        results,
        ({ ms }) => `${Math.round(MIB / (ms / 1000))} MiB/s`,
      ),
    );
  }
  return [...sections, await following(holt, bin)];
}

/** A flood into a session that nobody looks at, and into one whose emulator was loaded before it began. */
async function following(holt: string, bin: string): Promise<Section> {
  await using stage = new Stage(holt);
  let count = 0;
  const flooded = (looks: boolean) => () => captured(stage, bin, { id: `flood-${count++}`, looks });
  const results = await compare(
    { "nobody looked": flooded(false), "its emulator is loaded": flooded(true) },
    rounds(5),
  );
  return standings(
    `Capture of ${FLOOD_MIB} MiB in lines while the emulator follows`,
    "From the start of the flood until every byte is in the file, in a session in the background.",
    results,
    ({ ms }) => `${Math.round(FLOOD_MIB / (ms / 1000))} MiB/s`,
  );
}

async function captured(stage: Stage, bin: string, { id, looks }: { id: string; looks: boolean }): Promise<Sample> {
  const go = join(stage.cwd, id);
  const command = `while [ ! -e ${go} ]; do sleep 0.02; done; exec ${join(bin, "flood")} ${FLOOD} lines`;
  await stage.start(id, "--", "sh", "-c", command);
  if (looks) await stage.holt("screen", id);
  const file = join(stage.state, "sessions", id, "output.bin");
  await Bun.write(go, "");
  const started = performance.now();
  while (statSync(file).size < FLOOD) await Bun.sleep(5);
  const ms = performance.now() - started;
  await stage.holt("wait", id, "--until", "exit");
  await stage.holt("rm", id);
  if (readdirSync(join(stage.state, "sessions")).includes(id)) throw new Error(`${id} is still there`);
  return { ms };
}

async function shown(program: string, kind: string): Promise<Uint8Array> {
  const proc = Bun.spawn([program, String(MIB * 1024 * 1024), kind], { stdin: "ignore", stdout: "pipe" });
  const parts: Uint8Array[] = [];
  const end = new TextEncoder().encode("PAINTED");
  for await (const part of proc.stdout) {
    parts.push(part);
    if (Buffer.from(part).includes(end)) break;
  }
  proc.kill();
  await proc.exited;
  return Buffer.concat(parts);
}

async function byLibrary(bytes: Uint8Array): Promise<Sample> {
  const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 1000, allowProposedApi: true });
  const started = performance.now();
  for (let at = 0; at < bytes.length; at += PIECE)
    await new Promise<void>((resolve) => terminal.write(bytes.subarray(at, at + PIECE), resolve));
  const ms = performance.now() - started;
  terminal.dispose();
  return { ms };
}

async function byEmulator(bytes: Uint8Array): Promise<Sample> {
  using screen = new Emulator({ cols: 80, rows: 24 });
  const started = performance.now();
  for (let at = 0; at < bytes.length; at += PIECE) screen.write(bytes.subarray(at, at + PIECE));
  return { ms: performance.now() - started };
}

async function byRenderer(bytes: Uint8Array): Promise<Sample> {
  const source = {
    next: (cursor: number, maxBytes: number) =>
      cursor < bytes.length ? { cursor, bytes: bytes.subarray(cursor, cursor + maxBytes) } : null,
  };
  using renderer = new Renderer({
    source,
    emulator: new Emulator({ cols: 80, rows: 24 }),
    resizes: [],
    keyframe: null,
  });
  const started = performance.now();
  while (!renderer.advance(bytes.length, 1000));
  return { ms: performance.now() - started };
}
