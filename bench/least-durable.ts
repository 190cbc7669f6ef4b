/**
 * The least session that keeps what holt promises of one: over JSON-RPC, through a daemon and a ready holder, a directory under a lock, a record before the command and
 * one with its pid, a socket for whoever follows, an answer to the start that is written down first, every byte on disk, a last word that is there before it is told, and an answer to
 * the wait. Nothing is checked, allowed or kept from going wrong: no parameter, policy, limit, path, tree of processes, full disk, or second caller. Beside least-session.ts, which
 * promises nothing, it says what the promises cost; what holt is quicker by, it has thought of (docs/adr/0009, 0016, 0028 to 0030).
 *
 * least-durable SOCKET DIRECTORY, and for its own holders: least-durable
 */
import { dlopen } from "bun:ffi";
import {
  appendFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { type Message, serve } from "./ready-holder.ts";

const LOCK_EX = 2;
const [socket, directory] = process.argv.slice(2);
if (socket === undefined || directory === undefined) await hold();
else serve(socket, directory, (message) => answered(message, directory));

interface Asked {
  directory: string;
  argv: string[];
  terminal: boolean;
}

type Told = { started: object } | { ended: object };

interface Call {
  id: number;
  params: Pick<Asked, "argv" | "terminal">;
}

async function answered({ text, directory: own, hold: held, answer }: Message, sessions: string): Promise<void> {
  const [start, wait] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Call);
  if (start === undefined || wait === undefined) throw new Error("a start and a wait come together");
  for await (const said of held({ ...start.params, directory: own }))
    for (const line of Buffer.from(said).toString().trimEnd().split("\n")) {
      const told = JSON.parse(line) as Told;
      const isStarted = "started" in told;
      if (isStarted) appendFileSync(`${sessions}/audit.jsonl`, `${JSON.stringify({ ...start, at: new Date() })}\n`);
      const [id, result] = isStarted ? [start.id, told.started] : [wait.id, told.ended];
      answer(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    }
}

async function hold(): Promise<void> {
  const { symbols } = dlopen("libc.so.6", { flock: { args: ["int", "int"], returns: "int" } });
  const lock = (path: string): void => void symbols.flock(openSync(path, "a"), LOCK_EX);
  const scratch = `/tmp/least-${process.pid}`;
  mkdirSync(scratch);
  for (const terminal of [false, true])
    await session({ directory: `${scratch}/${terminal}`, argv: ["true"], terminal }, lock, () => {});
  await Bun.$`rm -r ${scratch}`.quiet();
  const buffer = Buffer.alloc(65_536);
  const length = readSync(0, buffer);
  if (length === 0) return;
  const asked = JSON.parse(buffer.toString("utf8", 0, length)) as Asked;
  await session(asked, lock, (told) => writeSync(1, `${JSON.stringify(told)}\n`));
  process.exit();
}

async function session(asked: Asked, lock: (path: string) => void, tell: (told: Told) => void): Promise<void> {
  const file = (name: string): string => `${asked.directory}/${name}`;
  const put = (name: string, value: object): void => {
    writeFileSync(file(`${name}.new`), JSON.stringify(value));
    renameSync(file(`${name}.new`), file(name));
  };
  const event = (type: string): void => appendFileSync(file("events.jsonl"), `${JSON.stringify({ type })}\n`);
  mkdirSync(asked.directory);
  lock(file("append.lock"));
  const output = openSync(file("output.bin"), "a");
  const started = { ...asked, created_at: new Date().toISOString(), env_keys: Object.keys(process.env) };
  put("meta.json", started);
  event("starting");
  const listener = Bun.listen({ unix: file("socket"), socket: { data() {} } });
  const keep = (bytes: Uint8Array): void => void writeSync(output, bytes);
  const proc = asked.terminal
    ? Bun.spawn(asked.argv, { terminal: { cols: 80, rows: 24, data: (_, bytes) => keep(bytes) } })
    : Bun.spawn(asked.argv, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const meta = { ...started, pid: proc.pid };
  put("meta.json", meta);
  event("running");
  tell({ started: meta });
  if (!asked.terminal)
    for (const stream of [proc.stdout, proc.stderr]) if (stream) for await (const bytes of stream) keep(bytes);
  const exit_code = await proc.exited;
  event("exited");
  const final = { exit_code, ended_at: new Date().toISOString(), usage: proc.resourceUsage()?.maxRSS };
  put("final.json", final);
  tell({ ended: final });
  fsyncSync(output);
  listener.stop();
}
