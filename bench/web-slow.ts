/** Fifty browsers at one session, one of which takes nothing: what the others feel of it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ATTACH_FRAME } from "../src/protocol/wire/attach.ts";
import { bytesOf } from "../src/protocol/types/bytes.ts";
import { median, quantile, rounds } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";
import { type HoltWeb, holtWeb } from "./web-servers.ts";

const CLIENTS = 50;
const ROUNDS = rounds(7);
const KEYS = 40;
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;
/** Who reads is never so far behind. */
const PAST_BUFFERS = 512 * 1024;
/** Prints all the time, no faster than is read, but more while it is to fill what lies between it and who does not; and says what it reads. */
const PROGRAM = `stty -echo
(while :; do if [ -e fill ]; then printf '%016000d\\r\\n' 0; else printf '%02000d\\r\\n' 0; fi; sleep 0.004; done) &
while read -r line; do echo "got $line"; done`;

export async function webSlow(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const session = ["--size", "80x24", "--max-clients", String(CLIENTS), "--slow-client-after", "10m"];
  await stage.start("crowd", ...session, "--", "sh", "-c", PROGRAM);
  const web = await holtWeb(stage);
  await using slow = await slowOne(stage, web);
  const others = await Promise.all(Array.from({ length: CLIENTS - 1 }, () => Watcher.open(web, "crowd")));
  const fill = join(stage.cwd, "fill");
  const p99: Record<"without" | "with", number[]> = { without: [], with: [] };
  let word = 0;
  const round = async (): Promise<number> => {
    const taken: number[] = [];
    for (let key = 0; key < KEYS; key++) taken.push(...(await heard(others, `word${++word}.`)));
    return quantile(taken, 0.99);
  };
  for (let number = -1; number < ROUNDS; number++) {
    const without = await round();
    slow.kill("SIGSTOP");
    await Bun.write(fill, "");
    await lags(stage, (bytes) => bytes > PAST_BUFFERS);
    rmSync(fill);
    await heard(others, "filled");
    const frozen = await round();
    slow.kill("SIGCONT");
    await lags(stage, (bytes) => bytes < PAST_BUFFERS);
    if (number < 0) continue;
    p99.without.push(without);
    p99.with.push(frozen);
  }
  for (const other of others) other.close();
  const [base, own] = [median(p99.without), median(p99.with)];
  const row = (name: string, values: number[]): string[] => [
    name,
    ms(median(values)),
    `${ms(Math.min(...values))} – ${ms(Math.max(...values))}`,
    (median(values) / base).toFixed(2),
  ];
  return [
    {
      title: `One slow of ${CLIENTS} clients over WebSocket`,
      about: `From a line that one of them types to its answer at each of the ${CLIENTS - 1} that read, while the session prints all the time: the p99 of ${KEYS} lines, in ${ROUNDS} rounds with one client stopped (SIGSTOP) and past all buffers, and ${ROUNDS} without, taking turns. With it is ${own <= Math.max(1.25 * base, Math.max(...p99.without)) ? "within" : "past"} what rounds without it differ by, or 1.25.`,
      head: ["", "median p99", "range", "of without"],
      rows: [row("all read", p99.without), row("one is stopped", p99.with)],
    },
  ];
}

/** How long each waits for what the first of them typed. */
async function heard(watchers: readonly Watcher[], word: string): Promise<number[]> {
  const typedAt = performance.now();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${word} was not seen by all`)), PATIENCE_MS);
  const seen = watchers.map(async (watcher) => {
    await watcher.sees(`got ${word}`);
    return performance.now() - typedAt;
  });
  watchers[0]?.type(`${word}\n`);
  try {
    return await Promise.race([Promise.all(seen), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

class Watcher {
  readonly #socket: WebSocket;
  #wanted: { needle: Buffer; seen: () => void } | null = null;
  /** What may be the beginning of it. */
  #rest = Buffer.alloc(0);

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(web: HoltWeb, id: string): Promise<Watcher> {
    const socket = new WebSocket(web.attach(id), web.protocols);
    socket.binaryType = "arraybuffer";
    const watcher = new Watcher(socket);
    const shown = Promise.withResolvers<void>();
    socket.addEventListener("message", ({ data }) => {
      const frame = Buffer.from(data as ArrayBuffer);
      if (frame[0] === ATTACH_FRAME.replay) shown.resolve();
      watcher.#look(frame);
    });
    socket.addEventListener("close", ({ code }) => shown.reject(new Error(`closed with ${code}`)));
    await shown.promise;
    return watcher;
  }

  type(text: string): void {
    this.#socket.send(Buffer.concat([Uint8Array.of(ATTACH_FRAME.input), bytesOf(text)]));
  }

  sees(text: string): Promise<void> {
    return new Promise((seen) => {
      this.#rest = Buffer.alloc(0);
      this.#wanted = { needle: Buffer.from(text), seen };
    });
  }

  close(): void {
    this.#socket.close();
  }

  /** A word may be cut between two frames, whose heads are few bytes. */
  #look(frame: Buffer): void {
    if (this.#wanted === null) return;
    const { needle, seen } = this.#wanted;
    const payload = frame.subarray(frame[0] === ATTACH_FRAME.output ? OUTPUT_HEAD : 1);
    const all = Buffer.concat([this.#rest, payload]);
    this.#rest = Buffer.from(all.subarray(-needle.length));
    if (!all.includes(needle)) return;
    this.#wanted = null;
    seen();
  }
}

/** The type, and where the next byte is. */
const OUTPUT_HEAD = 9;

async function slowOne(stage: Stage, web: HoltWeb): Promise<AsyncDisposable & { kill(signal: NodeJS.Signals): void }> {
  const argv = [process.execPath, join(import.meta.dir, "web-watcher.ts"), web.attach("crowd"), ...web.protocols];
  const proc = Bun.spawn(argv, { cwd: stage.cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  await proc.stdout.getReader().read();
  return {
    kill: (signal) => proc.kill(signal),
    async [Symbol.asyncDispose]() {
      proc.kill("SIGKILL");
      await proc.exited;
    },
  };
}

/** Until the one furthest behind is so far behind. */
async function lags(stage: Stage, isSo: (bytes: number) => boolean): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await Bun.sleep(LOOK_MS)) {
    const told = await stage.holt("clients", "crowd", "--json");
    const { clients } = JSON.parse(told) as { clients: { lag_bytes: number }[] };
    if (isSo(Math.max(...clients.map(({ lag_bytes }) => lag_bytes)))) return;
    if (performance.now() > deadline) throw new Error("the stopped one is never so far behind");
  }
}
