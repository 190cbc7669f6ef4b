/**
 * Calls per second at the daemon's socket, against a C program that sends each line back, and beside the least that a server in the same runtime does. The clients are the same
 * C program for all.
 */
import { join } from "node:path";
import { daemonSocketPath, layoutAt } from "../src/transcript/layout.ts";
import { compare, type Contestant, rounds, type Standing } from "./measure.ts";
import { Served } from "./served.ts";
import { Stage } from "./stage.ts";
import type { Section } from "./table.ts";

const METHOD = "health.info";
const TURN_MS = 400;
const LOADS: [name: string, clients: number, underWay: number][] = [
  ["1 client", 1, 1],
  ["32 clients", 32, 1],
  ["1 client, 32 calls under way", 1, 32],
  ["32 clients, 32 calls under way each", 32, 32],
];

export async function rates(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  const echo = join(stage.cwd, "echo.sock");
  const bare = join(stage.cwd, "bare.sock");
  await using _server = await Served.at(echo, [join(bin, "line-echo"), echo], stage);
  await using _bare = await Served.at(bare, [process.execPath, join(import.meta.dir, "bare-server.ts"), bare], stage);
  const daemon = daemonSocketPath(layoutAt(stage.state));
  const load = (socket: string, clients: number, underWay: number): Contestant =>
    loaded([join(bin, "line-load"), socket, String(clients), String(underWay), METHOD, String(TURN_MS)]);
  const rows: string[][] = [];
  const ofLimit: number[] = [];
  for (const [name, clients, underWay] of LOADS) {
    const [limit, least, own] = await compare(
      {
        echo: load(echo, clients, underWay),
        bare: load(bare, clients, underWay),
        daemon: load(daemon, clients, underWay),
      },
      rounds(9),
    );
    if (limit === undefined || least === undefined || own === undefined) continue;
    const range = `${(1 / own.high).toFixed(2)} – ${(1 / own.low).toFixed(2)}`;
    const ofEcho = ({ ratio }: Standing): string => (1 / ratio).toFixed(2);
    ofLimit.push(1 / own.ratio);
    rows.push([name, ...[limit, least, own].map(({ ms }) => perSecond(ms)), ofEcho(least), ofEcho(own), range]);
  }
  return [
    {
      title: "Calls per second",
      about: `\`${METHOD}\` over the daemon's socket, each call looked up, checked, counted and written to the audit; the baseline is one C thread that sends each line back as it came. The clients of both are one C thread, each waiting for its answer before the next call; in the last two rows with 32 calls under way, where the baseline reads and writes them 32 at a time and looks at none. The bare server is as little as one in this runtime can do: it parses each line and answers with an object of the same size.`,
      head: [
        "",
        "C echo",
        "bare server",
        `\`${METHOD}\``,
        "bare, of the C echo's rate",
        `\`${METHOD}\`, of the C echo's rate`,
        "range",
      ],
      rows,
      bar: { calls: ofLimit[0] ?? Number.NaN, callsOfMany: ofLimit[1] ?? Number.NaN },
    },
  ];
}

/** The time of one call. */
function loaded(argv: string[]): Contestant {
  return async () => {
    const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
    const [text, code] = await Promise.all([new Response(proc.stdout).text(), proc.exited]);
    if (code !== 0) throw new Error(`${argv.join(" ")} exited ${code}`);
    return { ms: 1000 / Number(text) };
  };
}

function perSecond(ms: number): string {
  return `${Math.round(1000 / ms).toLocaleString("en")}/s`;
}
