/** What sessions cost in memory while nothing happens in them: one holder, and many against tmux's server. */
import type { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { median } from "./measure.ts";
import { childrenOf, isLeader, mb, privateKb, pssKb, sum } from "./process-figures.ts";
import { Stage } from "./stage.ts";
import type { Section } from "./table.ts";

const TIMES = 9;
const COUNTS = [1, 100, 500];
/** More is given back after 16 s of quiet. */
const QUIET_MS = 20_000;
const AT_ONCE = 4;
const SIZE = { cols: 80, rows: 24 };
/** As many as it takes for all warm holders to have had some. */
const EARLIER = 60;

interface Cost {
  privateKb: number;
  pssKb: number;
}

/** One idle session of each kind. All are there at once, so that what they share is not counted. */
export async function memory(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  using client = await stage.client();
  const scripts = Array.from({ length: TIMES }, () => {
    const argv = ["script", "-qec", "echo up; exec sleep 600", "/dev/null"];
    return Bun.spawn(argv, { cwd: stage.cwd, env: stage.env, terminal: { ...SIZE, data() {} } });
  });
  const start = async (command: string, pty: typeof SIZE | false): Promise<string[]> => {
    const ids: string[] = [];
    for (let turn = 0; turn < TIMES; turn++) ids.push(await started(client, stage.cwd, command, pty));
    return ids;
  };
  for (let turn = 0; turn < EARLIER; turn++) await client.call("exec.run", { args: ["true"], cwd: stage.cwd });
  const onPipes = await start("echo up; exec sleep 600", false);
  const onTerminal = await start("echo up; exec sleep 600", SIZE);
  const shown = await start("seq 300; exec sleep 600", SIZE);
  for (const id of shown) await stage.holt("screen", id);
  await Bun.sleep(QUIET_MS);
  const costs = (ids: readonly string[]): Cost[] => ids.map((id) => costOf(stage.session(id).holder.pid));
  const pipes = costs(onPipes);
  const terminal = costs(onTerminal);
  const row = (name: string, of: readonly Cost[]): string[] => [name, mb(mid(of).privateKb), mb(mid(of).pssKb)];
  const result = {
    title: "Memory of an idle session",
    about: `Private memory (clean and dirty) and the proportional share of everything (PSS) of the holder and its leader, the median of ${TIMES} sessions in the background each, ${QUIET_MS / 1000} seconds after the last one's only output. The first of the holders have had ${EARLIER} short sessions before.`,
    head: ["", "private", "PSS"],
    rows: [
      row(
        "`script`",
        scripts.map(({ pid }) => costOf(pid)),
      ),
      row("holder, on pipes", pipes),
      row("holder, on a terminal", terminal),
      row("holder whose screen was looked at", costs(shown)),
    ],
    bar: { idleOnPipes: mid(pipes).privateKb / 1024, idleOnTerminal: mid(terminal).privateKb / 1024 },
  };
  for (const script of scripts) {
    script.kill();
    await script.exited;
    script.terminal?.close();
  }
  return [result];
}

export async function manyIdle(holt: string): Promise<Section[]> {
  const rows: string[][] = [];
  for (const count of COUNTS) {
    await using stage = new Stage(holt);
    await stage.daemon();
    using client = await stage.client();
    const ids: string[] = [];
    const startSome = async (): Promise<void> => {
      while (ids.length < count) {
        const at = ids.push("") - 1;
        ids[at] = await started(client, stage.cwd, "exec sleep 600", SIZE);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, startSome));
    for (const id of ids) await stage.tmux("new-session", "-d", "-s", id, "sleep 600");
    const server = Number(await stage.tmux("display-message", "-p", "#{pid}"));
    await Bun.sleep(QUIET_MS);
    const holders = ids.map((id) => costOf(stage.session(id).holder.pid));
    rows.push(
      rowOfAll(`${count}, tmux's server`, [costOf(server)], count),
      rowOfAll(`${count}, holders`, holders, count),
    );
  }
  return [
    {
      title: "Memory of many idle sessions",
      about: `Each \`sleep\`, on a terminal, ${QUIET_MS / 1000} seconds after the last start; the command's own is left out on both sides. tmux keeps all sessions in one process; a crash of it takes them all along.`,
      head: ["", "private", "PSS", "private, each", "PSS, each"],
      rows,
    },
  ];
}

async function started(client: DaemonClient, cwd: string, command: string, pty: typeof SIZE | false): Promise<string> {
  return (await client.call("session.start", { argv: ["sh", "-c", command], pty, cwd })).session_id;
}

function costOf(pid: number): Cost {
  const own = [pid, ...childrenOf(pid).filter(isLeader)];
  return { privateKb: sum(own.map(privateKb)), pssKb: sum(own.map(pssKb)) };
}

function mid(costs: readonly Cost[]): Cost {
  return { privateKb: median(costs.map((cost) => cost.privateKb)), pssKb: median(costs.map((cost) => cost.pssKb)) };
}

function rowOfAll(name: string, costs: readonly Cost[], count: number): string[] {
  const all = { privateKb: sum(costs.map((cost) => cost.privateKb)), pssKb: sum(costs.map((cost) => cost.pssKb)) };
  return [name, mb(all.privateKb), mb(all.pssKb), mb(all.privateKb / count), mb(all.pssKb / count)];
}
