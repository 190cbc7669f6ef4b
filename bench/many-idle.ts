/** What sessions cost in memory while nothing happens in them, against tmux with as many. */
import { median } from "./measure.ts";
import { childrenOf, isLeader, mb, privateKb, pssKb, sum } from "./process-figures.ts";
import { Stage } from "./stage.ts";
import type { Section } from "./table.ts";

const COUNTS = [1, 100, 500];
/** More is given back after 16 s of quiet. */
const QUIET_MS = 22_000;
const AT_ONCE = 4;

interface Cost {
  privateKb: number;
  pssKb: number;
}

export async function manyIdle(holt: string): Promise<Section[]> {
  const rows: string[][] = [];
  for (const count of COUNTS) {
    await using stage = new Stage(holt);
    await stage.daemon();
    const ids = Array.from({ length: count }, (_, i) => `idle-${i}`);
    await eachOf(ids, (id) => stage.holt("start", "--session-id", id, "--", "sleep", "600"));
    await stage.tmux("new-session", "-d", "-s", "idle-0", "sleep 600");
    for (const id of ids.slice(1)) await stage.tmux("new-session", "-d", "-s", id, "sleep 600");
    const server = Number(await stage.tmux("display-message", "-p", "#{pid}"));
    await Bun.sleep(QUIET_MS);
    const holders = ids.map((id) => costOf(stage.session(id).holder.pid));
    const tmux = costOf(server);
    rows.push(row(`${count}, tmux's server`, [tmux], count), row(`${count}, holders`, holders, count), [
      `${count}, of the holders one`,
      mb(median(holders.map((cost) => cost.privateKb))),
      mb(median(holders.map((cost) => cost.pssKb))),
      "",
      "",
    ]);
  }
  return [
    {
      title: "Memory of many idle sessions",
      about: `Each \`sleep\`, on a terminal, ${QUIET_MS / 1000} seconds after the last start: private memory, and the proportional share of everything (PSS), of the holder and its leader; the command's own is left out on both sides. tmux keeps all sessions in one process; a crash of it takes them all along.`,
      head: ["", "private", "PSS", "private, each", "PSS, each"],
      rows,
    },
    await withScreen(holt),
  ];
}

/** A shell that somebody has looked at. */
async function withScreen(holt: string): Promise<Section> {
  await using stage = new Stage(holt);
  await stage.daemon();
  const ids = Array.from({ length: 5 }, (_, i) => `shell-${i}`);
  for (const id of ids) {
    await stage.start(id, "--", "sh", "-c", "seq 300; exec sh");
    await stage.holt("screen", id);
  }
  await Bun.sleep(QUIET_MS);
  const costs = ids.map((id) => costOf(stage.session(id).holder.pid));
  return {
    title: "Memory of a shell whose screen was looked at",
    about: `The holder of a shell whose emulator is loaded, ${QUIET_MS / 1000} seconds later, the median of ${ids.length}.`,
    head: ["", "private", "PSS"],
    rows: [
      [
        "holder with its emulator",
        mb(median(costs.map((cost) => cost.privateKb))),
        mb(median(costs.map((cost) => cost.pssKb))),
      ],
    ],
  };
}

function costOf(pid: number): Cost {
  const own = [pid, ...childrenOf(pid).filter(isLeader)];
  return { privateKb: sum(own.map(privateKb)), pssKb: sum(own.map(pssKb)) };
}

function row(name: string, costs: readonly Cost[], count: number): string[] {
  const all = { privateKb: sum(costs.map((cost) => cost.privateKb)), pssKb: sum(costs.map((cost) => cost.pssKb)) };
  return [name, mb(all.privateKb), mb(all.pssKb), mb(all.privateKb / count), mb(all.pssKb / count)];
}

async function eachOf(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...ids];
  const one = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await work(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
