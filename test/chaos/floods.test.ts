/**
 * One connection's flood is not another's wait. Nothing here is timed: in which order the daemon ended calls is what its audit says, and while all calls of a connection
 * lie in its socket's buffer, how many of the flood's are done in between does not depend on how busy the machine is.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import { Bench } from "../support/holt.ts";
import { size, until } from "./size.ts";

const FLOOD = size(20_000, 100_000);
/** As many as surely fit into a socket's buffer. */
const PINGS = 1000;
const A_TURN = 64;
/** Of calls that are not answered at once. */
const A_TURN_OF_WORK = 4;
const PING = "session.list";

/** Answers are counted, not kept. */
class Counter implements Disposable {
  answers = 0;
  readonly #socket: Bun.Socket;
  #unsent: Uint8Array = new Uint8Array(0);
  #isReading = true;

  private constructor(socket: Bun.Socket) {
    this.#socket = socket;
  }

  static async dial(bench: Bench): Promise<Counter> {
    const made: { counter: Counter | null } = { counter: null };
    const socket = await Bun.connect({
      unix: join(bench.state, "run", "daemon.sock"),
      socket: {
        data(_socket, bytes) {
          for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1))
            if (made.counter !== null) made.counter.answers++;
        },
        drain: () => made.counter?.flush(),
        error() {},
      },
    });
    made.counter = new Counter(socket);
    return made.counter;
  }

  send(text: string): void {
    this.#unsent = Buffer.concat([this.#unsent, Buffer.from(text)]);
    this.flush();
  }

  read(isReading: boolean): void {
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  flush(): void {
    if (this.#unsent.length > 0) this.#unsent = this.#unsent.subarray(Math.max(0, this.#socket.write(this.#unsent)));
  }
}

async function withFlooded(work: (bench: Bench, flood: Counter) => Promise<void>): Promise<void> {
  using bench = Bench.withDaemon();
  configure(bench, "[audit]\nmax_bytes = 1000000000\n");
  await bench.run(["daemon"]);
  try {
    using flood = await Counter.dial(bench);
    await work(bench, flood);
  } finally {
    await end(bench);
  }
}

const calls = (count: number, method: string, params: object = {}): string =>
  Array.from({ length: count }, (_, id) => request(id, method, params)).join("");

/** All are answered. */
async function ping(bench: Bench, count: number): Promise<void> {
  using counter = await Counter.dial(bench);
  counter.send(calls(count, PING));
  await until("every ping is answered", () => counter.answers === count, 120_000);
}

/** Of each run of the flood's calls between two pings, how many there were. */
function between(bench: Bench, flooding: string): number[] {
  const path = join(bench.state, "log", "audit.jsonl");
  const methods = existsSync(path) ? [...readFileSync(path, "latin1").matchAll(/"method":"([^"]+)"/g)] : [];
  const order = methods.map(([, method]) => method).filter((method) => method === PING || method === flooding);
  const runs = order
    .slice(order.indexOf(PING), order.lastIndexOf(PING))
    .join(" ")
    .split(PING)
    .map((run) => run.split(" ").filter(Boolean).length);
  return runs.filter((run) => run > 0);
}

async function audited(bench: Bench, method: string, count: number): Promise<void> {
  const path = join(bench.state, "log", "audit.jsonl");
  const done = (): number => readFileSync(path, "latin1").split(`"method":"${method}"`).length - 1;
  await until(`${count} calls of ${method} are in the audit`, () => existsSync(path) && done() >= count, 120_000);
}

test("a flood of small calls lets others have their turn after each of its own", async () => {
  await withFlooded(async (bench, flood) => {
    flood.send(calls(FLOOD, "health.info"));
    await until("the flood flows", () => flood.answers > 0);
    await ping(bench, PINGS);
    await until("the flood is answered", () => flood.answers === FLOOD, 240_000);
    await audited(bench, PING, PINGS);
    expect(Math.max(0, ...between(bench, "health.info"))).toBeLessThanOrEqual(4 * A_TURN);
  });
}, 300_000);

test("a flood of large results does, too, and waits for whoever reads them", async () => {
  await withFlooded(async (bench, flood) => {
    using client = await dial(bench);
    const { session_id } = await client.call("exec.run", {
      args: ["head", "-c", "1000000", "/dev/zero"],
      max_bytes: 1,
    });
    flood.send(calls(size(40, 400), "session.read", { session_id, max_bytes: 1_000_000 }));
    await until("the flood flows", () => flood.answers > 0);
    await ping(bench, PINGS);
    await until("the flood is answered", () => flood.answers === size(40, 400), 240_000);
    await audited(bench, PING, PINGS);
    expect(Math.max(0, ...between(bench, "session.read"))).toBeLessThanOrEqual(4 * A_TURN_OF_WORK);
  });
}, 300_000);

test("who subscribes to much and reads nothing costs others nothing, and nothing of it is lost", async () => {
  const SUBSCRIPTIONS = 8;
  const BYTES = 4_000_000;
  await withFlooded(async (bench) => {
    using client = await dial(bench);
    const { session_id } = await client.call("exec.run", {
      args: ["head", "-c", String(BYTES), "/dev/zero"],
      max_bytes: 1,
    });
    using deaf = await Counter.dial(bench);
    deaf.read(false);
    deaf.send(calls(SUBSCRIPTIONS, "session.subscribe", { session_id, cursor: "0" }));
    await audited(bench, "session.subscribe", 1); // the others wait until it reads
    await ping(bench, PINGS);
    expect(deaf.answers).toBe(0);
    using hearing = await RawCaller.dial(bench);
    await hearing.write(request(1, "session.subscribe", { session_id, cursor: "0" }));
    let heard = 0;
    for (let isOver = false; !isOver; ) {
      const { method, params = {} } = (await hearing.next()) as { method?: string; params?: Record<string, unknown> };
      if (method === "session.output") heard += Buffer.from(String(params["data"]), "base64").length;
      isOver = method === "session.exited";
    }
    expect(heard).toBe(BYTES);
    deaf.read(true);
    await until("the deaf one is told the rest", () => deaf.answers > SUBSCRIPTIONS * 2);
  });
}, 300_000);

test("as many commands and waits as one connection may have keep no other from being answered, and end with it", async () => {
  const BOUND = 64;
  const COMMANDS = size(8, BOUND);
  await withFlooded(async (bench, flood) => {
    using client = await dial(bench);
    const { session_id } = await client.call("session.start", { argv: ["sleep", "600"], pty: false });
    flood.send(calls(COMMANDS, "exec.run", { args: ["sleep", "600"] }));
    flood.send(calls(BOUND - COMMANDS + 20, "session.wait", { session_id, timeout_ms: 600_000 }));
    await until("the commands run", () => bench.started().length === COMMANDS + 1, 120_000);
    await ping(bench, PINGS);
    expect(flood.answers).toBe(0);
    // Nothing is read from a connection that has as many calls as it may have: to hang up was to go unnoticed, and its commands ran until their time was up.
    flood[Symbol.dispose]();
    const running = async () => (await client.call("session.list", { states: ["running", "starting"] })).sessions;
    await until("its commands are gone", async () => (await running()).length === 1, 240_000);
  });
}, 300_000);
