/** From a key in a browser's WebSocket to its echo there. */
import { join } from "node:path";
import { ATTACH_FRAME } from "../src/protocol/wire/attach.ts";
import { median, quantile, rounds } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";
import { bareServer, holtWeb } from "./web-servers.ts";

const KEYS = 400;
const ECHO_ROUNDS = rounds(9);

type Typist = (key: number) => Promise<void>;

export async function webEcho(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const program = join(bin, "echo");
  const session = await stage.start("web-echo", "--size", "80x24", "--", program);
  const web = await holtWeb(stage);
  await using bare = await bareServer(stage, [program]);
  const typists: Record<string, Typist> = {
    "a bare WebSocket echo": await typistAt(`ws://127.0.0.1:${bare.port}/echo`, [], (key) => Uint8Array.of(key)),
    "a bare terminal over WebSocket": await typistAt(`ws://127.0.0.1:${bare.port}/`, [], (key) => Uint8Array.of(key)),
    "holt, in binary": await typistAt(web.attach(session.session_id), web.protocols, (key) =>
      Uint8Array.of(ATTACH_FRAME.input, key),
    ),
  };
  const samples = new Map<string, { p50: number; p99: number }[]>(Object.keys(typists).map((name) => [name, []]));
  for (let round = -1; round < ECHO_ROUNDS; round++) {
    for (const [name, type] of Object.entries(typists)) {
      const echoes: number[] = [];
      for (let at = 0; at < KEYS; at++) {
        await Bun.sleep(Math.random() * 4);
        const started = performance.now();
        await type(97 + (at % 26));
        echoes.push(performance.now() - started);
      }
      if (round >= 0) samples.get(name)?.push({ p50: median(echoes), p99: quantile(echoes, 0.99) });
    }
  }
  const ratio = (name: string, base: string, of: "p50" | "p99"): string => {
    const own = samples.get(name) ?? [];
    const others = samples.get(base) ?? [];
    return median(own.map((each, at) => each[of] / (others[at]?.[of] ?? Number.NaN))).toFixed(2);
  };
  const names = Object.keys(typists);
  return [
    {
      title: "A key's echo over WebSocket",
      about: `From a message with a key to the message with its echo, in one client; the byte is on disk in between at holt. ${ECHO_ROUNDS} rounds of ${KEYS} keys with random pauses, taking turns; medians of the rounds' p50 and p99, and of their ratios. The bare terminal is bench/pty-ws.ts.`,
      head: ["", "p50", "p99", "p50 of the bare echo", "p50 of the bare terminal", "p99 of the bare terminal"],
      rows: names.map((name) => [
        name,
        ms(median((samples.get(name) ?? []).map(({ p50 }) => p50))),
        ms(median((samples.get(name) ?? []).map(({ p99 }) => p99))),
        ratio(name, names[0] ?? "", "p50"),
        ratio(name, names[1] ?? "", "p50"),
        ratio(name, names[1] ?? "", "p99"),
      ]),
    },
  ];
}

/** Whatever comes after a key is its echo: nothing else is printed. */
async function typistAt(
  url: string,
  protocols: string[],
  message: (key: number) => Uint8Array<ArrayBuffer>,
): Promise<Typist> {
  const socket = new WebSocket(url, protocols);
  socket.binaryType = "arraybuffer";
  let echoed: () => void = () => {};
  let quiet = performance.now();
  socket.addEventListener("message", ({ data }) => {
    quiet = performance.now();
    const isNews = data instanceof ArrayBuffer && new Uint8Array(data)[0] === ATTACH_FRAME.modes;
    if (!isNews) echoed();
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  while (performance.now() - quiet < 300) await Bun.sleep(20);
  return (key) =>
    new Promise((resolve) => {
      echoed = resolve;
      socket.send(message(key));
    });
}
