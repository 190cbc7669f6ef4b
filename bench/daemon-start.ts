/** Starting a session in the background: through the daemon and its warm holders, and as a command. */
import type { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { newSessionId } from "../src/protocol/types/session-id.ts";
import { compare, compareInARowAndRested, ratioOf, rounds, type Sample, timed } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const SIZE = { cols: 80, rows: 24 };
const BURST = 100;
const KINDS = "In a row: blocks of 50 without a rest. With rests: each after 150 ms, when the holders are warm.";

export async function daemonStart(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  await stage.tmux("new-session", "-d", "sleep 600");
  using client = await stage.client();
  const tmux = (...args: string[]) => timed([...stage.tmuxCommand, ...args], stage);
  const session = (pty: typeof SIZE | false) => startToExit(client, pty, stage.cwd);
  const onPipes = await compareInARowAndRested({
    "bare `Bun.spawn` of `true`": () => bare(false),
    "a session": () => session(false),
  });
  const onTerminal = await compareInARowAndRested({
    "bare `Bun.spawn` of `true`": () => bare(true),
    "a session": () => session(SIZE),
    "`tmux new-session -d` and `wait-for`": () =>
      tmux("new-session", "-d", "true; tmux -L bench wait-for -S x", ";", "wait-for", "x"),
  });
  const withoutDaemon = { cwd: stage.cwd, env: { ...stage.env, HOLT_NO_DAEMON: "1" } };
  const commands = await compareInARowAndRested({
    "`tmux new-session -d true`": () => tmux("new-session", "-d", "true"),
    "`holt start -- true`": () => timed([holt, "start", "--", "true"], stage),
    "`holt start -- true`, without a daemon": () => timed([holt, "start", "--", "true"], withoutDaemon),
  });
  const burst = await compare({ [`${BURST} at once`]: () => startMany(() => session(SIZE)) }, rounds(3));
  return [
    {
      ...standings(
        "From a start to its exit, on pipes",
        `\`true\`, as a whole durable session, over the daemon's socket: session.start, then session.wait. ${KINDS}`,
        onPipes,
      ),
      bar: {
        pipesInARow: ratioOf(onPipes, "a session, in a row"),
        pipesRested: ratioOf(onPipes, "a session, with rests"),
      },
    },
    {
      ...standings("From a start to its exit, on a terminal", "The same.", onTerminal),
      bar: {
        terminalInARow: ratioOf(onTerminal, "a session, in a row"),
        terminalRested: ratioOf(onTerminal, "a session, with rests"),
      },
    },
    {
      ...standings(
        "A start as a command",
        `Until the command has returned; the session goes on by itself. ${KINDS}`,
        commands,
      ),
      bar: {
        startInARow: ratioOf(commands, "`holt start -- true`, in a row"),
        startRested: ratioOf(commands, "`holt start -- true`, with rests"),
      },
    },
    standings("A burst of starts", "Until all have ended. Three of the holders were warm.", burst),
  ];
}

async function bare(isOnTerminal: boolean): Promise<Sample> {
  const started = performance.now();
  const proc = isOnTerminal
    ? Bun.spawn(["true"], { terminal: { ...SIZE, data() {} } })
    : Bun.spawn(["true"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  await proc.exited;
  const ms = performance.now() - started;
  proc.terminal?.close();
  return { ms };
}

async function startToExit(client: DaemonClient, pty: typeof SIZE | false, cwd: string): Promise<Sample> {
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

async function startMany(startOne: () => Promise<Sample>): Promise<Sample> {
  const started = performance.now();
  await Promise.all(Array.from({ length: BURST }, startOne));
  return { ms: performance.now() - started };
}
