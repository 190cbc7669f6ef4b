/** One session's output to many readers at once. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../src/protocol/wire/frames.ts";
import { compare, mebibytes, rounds, type Sample } from "./measure.ts";
import { anonymousKb, cpuMs } from "./process-figures.ts";
import { untilListening } from "./served.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const MIB = mebibytes(100);
const BYTES = MIB * 1024 * 1024;
const READERS = [1, 8, 32];

export async function fanOut(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const sections: Section[] = [];
  for (const readers of READERS) {
    const memory: { before: number; peak: number }[] = [];
    let count = 0;
    const results = await compare(
      {
        "C: one loop": () => byC(stage, bin, readers),
        "the holder": () => byHolder(stage, bin, { readers, id: `fan${readers}-${count++}`, memory }),
      },
      rounds(3),
    );
    const grown = memory.map(({ before, peak }) => peak - before).toSorted((a, b) => a - b)[memory.length >> 1] ?? 0;
    sections.push(
      standings(
        `${MIB} MiB to ${readers} reader${readers === 1 ? "" : "s"}`,
        `From the first byte at any of them to the last byte at the last, while it is printed and captured; CPU is the server's alone. The baseline is one C thread that sends bytes where the holder sends frames. The holder's memory grew by ${(grown / 1024).toFixed(0)} MB at most (median of the rounds).`,
        results,
        ({ ms }) => `${Math.round(MIB / (ms / 1000))} MiB/s`,
      ),
    );
  }
  return sections;
}

async function byC(stage: Stage, bin: string, readers: number): Promise<Sample> {
  const socket = join(stage.cwd, "fan.sock");
  const file = join(stage.cwd, "fan.bin");
  const server = Bun.spawn(
    [join(bin, "fan-serve"), socket, file, String(readers), join(bin, "flood"), String(BYTES), "lines"],
    {
      cwd: stage.cwd,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  await untilListening(socket, server);
  const ms = await drained(stage, [join(bin, "fan-drain"), socket, String(readers), ""], () => {});
  await server.exited;
  for (const path of [socket, file]) rmSync(path, { force: true });
  const cpu = server.resourceUsage()?.cpuTime.total ?? 0n;
  return { ms, cpuMs: Number(cpu) / 1000 };
}

interface Held {
  readers: number;
  id: string;
  memory: { before: number; peak: number }[];
}

async function byHolder(stage: Stage, bin: string, { readers, id, memory }: Held): Promise<Sample> {
  const go = join(stage.cwd, "go");
  const wait = `while [ ! -e ${go} ]; do sleep 0.02; done; exec ${join(bin, "flood")} ${BYTES} lines`;
  const session = await stage.start(id, "--", "sh", "-c", wait);
  const { pid } = session.holder;
  let before = { cpuMs: 0, kb: 0 };
  let after = { cpuMs: 0, kb: 0 };
  const looking = setInterval(() => {
    try {
      after = { cpuMs: cpuMs(pid), kb: Math.max(after.kb, anonymousKb(pid)) };
    } catch {
      // it has gone
    }
  }, 5);
  const ms = await drained(
    stage,
    [join(bin, "fan-drain"), session.socket ?? "", String(readers), greeting()],
    async () => {
      await Bun.sleep(300); // until everyone follows
      before = { cpuMs: cpuMs(pid), kb: anonymousKb(pid) };
      await Bun.write(go, "");
    },
  );
  clearInterval(looking);
  rmSync(go, { force: true });
  memory.push({ before: before.kb, peak: after.kb });
  await stage.holt("rm", id).catch(() => "");
  return { ms, cpuMs: after.cpuMs - before.cpuMs };
}

async function drained({ cwd }: Stage, argv: string[], ready: () => void | Promise<void>): Promise<number> {
  const proc = Bun.spawn(argv, { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let said = "";
  let isReady = false;
  for await (const chunk of proc.stdout) {
    said += new TextDecoder().decode(chunk);
    if (isReady || !said.includes("ready")) continue;
    isReady = true;
    await ready();
  }
  const [ms, bytes] = (said.split("\n")[1] ?? "").split(" ").map(Number);
  const readers = Number(argv[2]);
  if (bytes === undefined || bytes < BYTES * readers) throw new Error(`${readers} readers got ${bytes} bytes`);
  return ms ?? Number.NaN;
}

/** HELLO and FOLLOW, in hexadecimal. */
function greeting(): string {
  const hello = encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: "bench" });
  return Buffer.concat([hello, encodeJsonFrame(FRAME.follow, { cursor: "0" })]).toString("hex");
}
