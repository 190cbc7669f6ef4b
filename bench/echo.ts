/** From a key to its echo: at the holder's socket, and through a whole attach in a terminal. */
import { join } from "node:path";
import { ATTACH_FRAME, type AttachRequest } from "../src/protocol/wire/attach.ts";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../src/protocol/wire/frames.ts";
import { median, quantile, rounds } from "./measure.ts";
import { Served } from "./served.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";
import { Typist } from "./typist.ts";

const KEYS = 400;
const ECHO_ROUNDS = rounds(9);

export async function echo(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const program = join(bin, "echo");
  const type = (...argv: string[]): Promise<Typist> => Typist.at([join(bin, "typist"), ...argv], stage);
  await stage.daemon();
  const [atSocket, attached] = [
    await stage.start("socket", "--size", "80x24", "--", program),
    await stage.start("attached", "--size", "80x24", "--", program),
  ];
  await stage.tmux(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "24",
    "-s",
    "echo",
    program,
    ";",
    "set",
    "-g",
    "status",
    "off",
  );
  const limit = join(stage.cwd, "limit.sock");
  const serve = [join(bin, "echo-serve"), limit, join(stage.cwd, "limit.bin"), program];
  await using _server = await Served.at(limit, serve, stage);
  await using over = await type("socket", limit, greeting());
  await using holder = await type("socket", atSocket.socket ?? "", greeting());
  await using bare = await type("pty", program);
  await using tmux = await type("pty", ...stage.tmuxCommand, "attach", "-t", "echo");
  await using attach = await type("pty", holt, "attach", attached.session_id);
  return [
    await section(
      "Echo at the holder's socket",
      "From an INPUT frame to the OUTPUT frame with its echo, the byte being on disk in between. The baseline is one C thread that does the same: terminal, file, socket.",
      { "C: one loop": over, "the holder": holder },
    ),
    await section(
      "Echo through an attach",
      "From a key on your terminal to its echo there, 80x24, without a status line. The baseline is `tmux attach`; the terminal alone is what both have below them.",
      { "`tmux attach`": tmux, "`holt attach`": attach, "the terminal alone": bare },
      "`holt attach`",
    ),
  ];
}

/** Rounds of keys with random pauses, taking turns. */
async function section(
  title: string,
  about: string,
  typists: Record<string, Typist>,
  inBar: string | null = null,
): Promise<Section> {
  const names = Object.keys(typists);
  const samples = new Map<string, { p50: number; p99: number }[]>(names.map((name) => [name, []]));
  for (let round = -1; round < ECHO_ROUNDS; round++) {
    for (const [name, typist] of Object.entries(typists)) {
      const echoes = await typist.type(round < 0 ? KEYS * 2 : KEYS);
      if (round >= 0) samples.get(name)?.push({ p50: median(echoes), p99: quantile(echoes, 0.99) });
    }
  }
  const first = samples.get(names[0] ?? "") ?? [];
  const ratiosOf = (name: string, of: "p50" | "p99"): number[] =>
    (samples.get(name) ?? []).map((round, i) => round[of] / (first[i]?.[of] ?? Number.NaN));
  const ratio = (name: string, of: "p50" | "p99"): string => {
    const ratios = ratiosOf(name, of);
    return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)})`;
  };
  const mid = (name: string, of: "p50" | "p99"): string =>
    ms(median((samples.get(name) ?? []).map((round) => round[of])));
  return {
    title,
    about: `${about} ${ECHO_ROUNDS} rounds of ${KEYS} keys; medians of the rounds' p50 and p99, and of their ratios.`,
    head: ["", "p50", "of the baseline", "p99", "of the baseline"],
    rows: names.map((name) => [name, mid(name, "p50"), ratio(name, "p50"), mid(name, "p99"), ratio(name, "p99")]),
    bar: inBar === null ? {} : { echo: median(ratiosOf(inBar, "p50")), echoLate: median(ratiosOf(inBar, "p99")) },
  };
}

/** HELLO and ATTACH, in hexadecimal. */
function greeting(): string {
  const request: AttachRequest = {
    role: "driver",
    replay: "none",
    size: null,
    scrollback: 0,
    raw_bytes: 0,
    replaces: false,
    takeover: false,
    once: false,
    passive: false,
    pid: process.pid,
    label: "bench",
  };
  const hello = encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: "bench" });
  return Buffer.concat([hello, encodeJsonFrame(ATTACH_FRAME.attach, request)]).toString("hex");
}
