/** A flood to browsers: one terminal's output over WebSocket to one, eight and fifty at once. */
import { join } from "node:path";
import { ATTACH_FRAME } from "../src/protocol/wire/attach.ts";
import { FRAME } from "../src/protocol/wire/frames.ts";
import { compare, mebibytes, rounds, type Sample } from "./measure.ts";
import { cpuMs } from "./process-figures.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";
import { bareServer, holtWeb } from "./web-servers.ts";

const MIB = mebibytes(100);
const BYTES = MIB * 1024 * 1024;
const CLIENTS = [1, 8, 50];

export async function webFlood(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const flood = [join(bin, "flood"), String(BYTES), "lines"];
  const web = await holtWeb(stage);
  const daemon = (JSON.parse(await stage.holt("daemon", "status", "--json")) as { pid: number }).pid;
  await using bare = await bareServer(stage, flood);
  const sections: Section[] = [];
  let number = 0;
  for (const clients of CLIENTS) {
    const byHolt = async (protocols: string[]): Promise<Sample> => {
      const id = `flood-${number++}`;
      const gate = join(stage.cwd, id);
      const wait = `while [ ! -e '${gate}' ]; do sleep 0.005; done; exec ${flood.join(" ")}`;
      await stage.start(id, "--size", "80x24", "--max-clients", String(clients), "--", "sh", "-c", wait);
      const all = Array.from({ length: clients }, () => received(web.attach(id), protocols));
      await Promise.all(all.map(({ opened }) => opened));
      const before = cpuMs(daemon);
      const started = performance.now();
      await Bun.write(gate, "");
      await Promise.all(all.map(({ ended }) => ended));
      return { ms: performance.now() - started, cpuMs: cpuMs(daemon) - before };
    };
    const contestants =
      clients === 1
        ? {
            "a bare terminal over WebSocket": async (): Promise<Sample> => {
              const before = cpuMs(bare.pid);
              const started = performance.now();
              await received(`ws://127.0.0.1:${bare.port}/`, []).ended;
              return { ms: performance.now() - started, cpuMs: cpuMs(bare.pid) - before };
            },
            "holt, in binary": () => byHolt(web.protocols),
            "holt, in JSON": () => byHolt(web.jsonProtocols),
          }
        : { "holt, in binary": () => byHolt(web.protocols), "holt, in JSON": () => byHolt(web.jsonProtocols) };
    sections.push(
      standings(
        `${MIB} MiB to ${clients} over WebSocket`,
        `Until the last of them was told of the end; a client that lags is brought up to date with a screen, so what each is sent may be less. CPU is the server's (the daemon's) alone. The baseline with one client is bench/pty-ws.ts, which keeps nothing; otherwise it is holt in binary.`,
        await compare(contestants, rounds(clients === 1 ? 7 : 3)),
        ({ ms }) => `${Math.round(MIB / (ms / 1000))} MiB/s`,
      ),
    );
  }
  return sections;
}

function received(url: string, protocols: string[]): { opened: Promise<void>; ended: Promise<void> } {
  const socket = new WebSocket(url, protocols);
  socket.binaryType = "arraybuffer";
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const type = data instanceof ArrayBuffer ? new Uint8Array(data)[0] : String(data).slice(9, 16);
    if (type === ATTACH_FRAME.replay || type === "history") opened.resolve();
    if (type === FRAME.end) ended.resolve();
  });
  socket.addEventListener("close", () => ended.resolve());
  return { opened: opened.promise, ended: ended.promise };
}
