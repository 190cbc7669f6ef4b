/** Starting a session in the background: through the daemon and its warm holders, and as a command. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaemonClient } from "../src/client/daemon-client.ts";
import { newSessionId } from "../src/protocol/session-id.ts";
import { layoutAt } from "../src/transcript/layout.ts";
import { compare, ROUNDS, type Sample, timed } from "./measure.ts";
import { type Section, standings } from "./table.ts";

const ROUNDS_SHORT = Math.max(ROUNDS, 41);
/** Of what is done in two or three milliseconds: with half as many the median of one run is 3 % off that of the next. */
const ROUNDS_WARM = Math.max(ROUNDS, 81);
/** So that the pool is full again, and nothing of one round runs into the next. */
const PAUSE_MS = 150;
const BURST = 100;

/** `bin`: where least-start.ts, least-session.ts and least-durable.ts were compiled to. */
export async function daemonStart(holt: string, bin: string): Promise<Section[]> {
  const cwd = mkdtempSync(join(tmpdir(), "hb-"));
  const env = { HOLT_STATE_DIR: join(cwd, "state"), SHELL: "/bin/sh", TMUX_TMPDIR: cwd, TMUX: "" };
  const tmux = (...args: string[]) => timed(["tmux", "-L", "bench", "-f", "/dev/null", ...args], { cwd, env });
  try {
    await timed([holt, "daemon"], { cwd, env });
    await tmux("new-session", "-d", "sleep 600");
    using client = await DaemonClient.dial(layoutAt(env.HOLT_STATE_DIR));
    if (client === null) throw new Error("no daemon");
    using least = new LeastSessions(join(bin, "least-session"), cwd, leastRequest);
    using durable = new LeastSessions(join(bin, "least-durable"), cwd, durableRequest);
    const viaSocket = (pty: { cols: number; rows: number } | false) => () => startToExit(client, pty, cwd);
    const onPipes = await compare(
      {
        "bare `Bun.spawn` of `true`, on pipes": rested(() => bare(false)),
        "a session on a warm holder, on pipes": rested(viaSocket(false)),
        "the least session in this runtime, on pipes": () => least.startToExit(false),
        "the least that keeps holt's promises, on pipes": () => durable.startToExit(false),
      },
      ROUNDS_WARM,
    );
    const onTerminals = await compare(
      {
        "bare `Bun.spawn` of `true`, on a terminal": rested(() => bare(true)),
        "a session on a warm holder, on a terminal": rested(viaSocket({ cols: 80, rows: 24 })),
        "the least session in this runtime, on a terminal": () => least.startToExit(true),
        "the least that keeps holt's promises, on a terminal": () => durable.startToExit(true),
        "`tmux new-session -d` and `wait-for`": rested(() =>
          tmux("new-session", "-d", "true; tmux -L bench wait-for -S x", ";", "wait-for", "x"),
        ),
      },
      ROUNDS_WARM,
    );
    const cold = { ...env, HOLT_NO_DAEMON: "1" };
    const commands = await compare(
      {
        "`tmux new-session -d true`": rested(() => tmux("new-session", "-d", "true")),
        "`holt start -- true`": rested(() => timed([holt, "start", "--", "true"], { cwd, env })),
        "the least start in this runtime": rested(() => timed([join(bin, "least-start"), "true"], { cwd, env })),
        "an empty program of this runtime": rested(() => timed([join(bin, "empty")], { cwd, env })),
        "`holt start -- true`, without a daemon": rested(() =>
          timed([holt, "start", "--", "true"], { cwd, env: cold }),
        ),
      },
      ROUNDS_SHORT,
    );
    const burst = await compare({ [`${BURST} at once`]: () => startMany(client, cwd) }, 3);
    return [
      standings(
        "From a start to its exit, on pipes",
        "`true`, as a whole durable session, over the daemon's socket: session.start, then session.wait. The least session (bench/least-session.ts) goes through as many processes and writes three files, and does nothing else; the one that keeps holt's promises (bench/least-durable.ts) locks, records, answers and tells as holt does, and checks nothing.",
        onPipes,
      ),
      standings("From a start to its exit, on a terminal", "The same.", onTerminals),
      standings(
        "A start as a command",
        "Until the command has returned; the session goes on by itself. The least start (bench/least-start.ts) asks the daemon and prints the id.",
        commands,
      ),
      standings("A burst of starts", "Until all have ended. Three of the holders were warm.", burst),
    ];
  } finally {
    await timed([holt, "daemon", "stop"], { cwd, env });
    await tmux("kill-server");
    rmSync(cwd, { recursive: true, force: true });
  }
}

function rested(work: () => Promise<Sample>): () => Promise<Sample> {
  return async () => {
    await Bun.sleep(PAUSE_MS);
    return work();
  };
}

async function bare(terminal: boolean): Promise<Sample> {
  const started = performance.now();
  const proc = terminal
    ? Bun.spawn(["true"], { terminal: { cols: 80, rows: 24, data() {} } })
    : Bun.spawn(["true"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  await proc.exited;
  const ms = performance.now() - started;
  proc.terminal?.close();
  return { ms };
}

async function startToExit(
  client: DaemonClient,
  pty: { cols: number; rows: number } | false,
  cwd: string,
): Promise<Sample> {
  const started = performance.now();
  // The wait comes right behind the start, whose id it therefore has to know.
  const session_id = newSessionId();
  const starting = client.call("session.start", { argv: ["true"], pty, cwd, session_id });
  const { outcome, exit_code } = await client.call("session.wait", { session_id });
  await starting;
  const ms = performance.now() - started;
  if (outcome !== "exited" || exit_code !== 0) throw new Error(`${session_id}: ${outcome} ${exit_code}`);
  return { ms };
}

/** What is asked of it, and how many lines that is answered with. */
type Request = (terminal: boolean) => { text: string; answers: number };

const leastRequest: Request = (terminal) => ({ text: JSON.stringify({ argv: ["true"], terminal }), answers: 1 });

const durableRequest: Request = (terminal) => {
  const start = { jsonrpc: "2.0", id: 1, method: "session.start", params: { argv: ["true"], terminal } };
  const wait = { jsonrpc: "2.0", id: 2, method: "session.wait", params: {} };
  return { text: `${JSON.stringify(start)}\n${JSON.stringify(wait)}\n`, answers: 2 };
};

/** As the one tells it, or the other. */
interface Ended {
  code?: number;
  result?: { exit_code: number };
}

class LeastSessions implements Disposable {
  readonly #daemon: Bun.Subprocess;
  readonly #socket: string;
  readonly #request: Request;

  constructor(program: string, cwd: string, request: Request) {
    this.#request = request;
    const directory = mkdtempSync(join(cwd, "least-"));
    this.#socket = join(directory, "socket");
    this.#daemon = Bun.spawn([program, this.#socket, directory], { stdin: "ignore", stdout: "ignore" });
  }

  async startToExit(terminal: boolean): Promise<Sample> {
    while (!existsSync(this.#socket)) await Bun.sleep(5);
    const { promise: answered, resolve } = Promise.withResolvers<string>();
    const { text, answers } = this.#request(terminal);
    let said = "";
    const data = (_: unknown, bytes: Uint8Array): void => {
      said += Buffer.from(bytes).toString();
      if (said.split("\n").length > answers) resolve(said);
    };
    const socket = await Bun.connect({ unix: this.#socket, socket: { data } });
    await Bun.sleep(PAUSE_MS);
    const started = performance.now();
    socket.write(text);
    const last = JSON.parse((await answered).trimEnd().split("\n").at(-1) ?? "") as Ended;
    const ms = performance.now() - started;
    socket.end();
    if ((last.code ?? last.result?.exit_code) !== 0) throw new Error(`the least session ended so: ${said}`);
    return { ms };
  }

  [Symbol.dispose](): void {
    this.#daemon.kill();
  }
}

async function startMany(client: DaemonClient, cwd: string): Promise<Sample> {
  const started = performance.now();
  await Promise.all(Array.from({ length: BURST }, () => startToExit(client, { cols: 80, rows: 24 }, cwd)));
  return { ms: performance.now() - started };
}
