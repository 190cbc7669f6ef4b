/** What more sessions cost: living ones, with tmux beside them, and ended ones. */
import { rmSync } from "node:fs";
import { daemonProcess } from "../src/client/daemon/end-daemon.ts";
import { LocalSessions } from "../src/client/sessions/local-sessions.ts";
import type { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { layoutAt, prepareLayout } from "../src/transcript/layout.ts";
import { writeMeta } from "../src/transcript/records.ts";
import { SessionDir } from "../src/transcript/session-dir.ts";
import { finalOf, metaOf } from "../test/support/records.ts";
import { compare, type Contestant, median, rounds, type Standing, timed } from "./measure.ts";
import { childrenOf, isLeader, mb, pssKb, sum } from "./process-figures.ts";
import { Stage } from "./stage.ts";
import { ms, type Section, standings } from "./table.ts";

const LIVING = [10, 200, 1000];
const ENDED = [100, 10_000];
/** Of what takes less than a millisecond. */
const CALLS = 20;
const SETTLED_MS = 5000;
const PAGE = { limit: 50 };
const COMMAND = ["sleep", "3600"];

interface Living {
  readonly count: number;
  readonly stage: Stage;
  readonly startMs: number;
  readonly tmuxMs: number;
}

export async function growth(holt: string): Promise<Section[]> {
  return [await ofLiving(holt), await ofEnded(holt)];
}

async function ofLiving(holt: string): Promise<Section> {
  await using stages = new AsyncDisposableStack();
  const all: Living[] = [];
  for (const count of LIVING) all.push(await startMany(stages.use(new Stage(holt)), count));
  await Bun.sleep(SETTLED_MS);
  const rows: string[][] = [];
  for (const [name, call] of CALLED) {
    const results = await compare(Object.fromEntries(all.map((one) => [one.count, () => call(one)])), rounds(9));
    rows.push([name, ...results.map(inMs), ratio(results), "2.00"]);
  }
  const [most] = all.slice(-1);
  if (most === undefined) throw new Error("nothing was measured");
  const overTmux = (most.startMs / most.tmuxMs).toFixed(2);
  rows.push(
    ["as many `tmux new-session -d`, one after the other", ...all.map(({ tmuxMs }) => ms(tmuxMs)), "", ""],
    [
      "as many `holt start`, one after the other",
      ...all.map(({ startMs }) => ms(startMs)),
      `${overTmux} of tmux`,
      "3.00",
    ],
    ["PSS of tmux's server", ...(await Promise.all(all.map(tmuxMemory))), "", ""],
    ["PSS of the daemon", ...all.map(({ stage }) => mb(pssKb(daemonPid(stage)))), "", ""],
    ["PSS of a holder and its leader, median", ...all.map(holderMemory), "", ""],
  );
  const stops: number[] = [];
  for (const { stage } of all) stops.push(await inTurn(1, () => stage.holt("daemon", "stop", "--stop-sessions")));
  rows.push(["`holt daemon stop --stop-sessions`", ...stops.map(ms), "", "30000 ms"]);
  return {
    title: "Growth with living sessions",
    about: `Sessions of \`sleep\`, each on a terminal. All counts live at the same time and take turns; a call is the mean of ${CALLS} over one connection. The bars hold for the most sessions: at most twice what ${LIVING[0]} take, at most three times what tmux takes.`,
    head: ["", ...LIVING.map((count) => count.toLocaleString("en")), `most, of ${LIVING[0]}`, "bar"],
    rows,
  };
}

const CALLED: [name: string, call: (living: Living) => ReturnType<Contestant>][] = [
  ["`health.info`", ({ stage }) => calls(stage, (client) => client.call("health.info", {}))],
  ["`session.list {limit: 50}`", ({ stage }) => calls(stage, (client) => client.call("session.list", PAGE))],
];

async function ofEnded(holt: string): Promise<Section> {
  await using stages = new AsyncDisposableStack();
  const contestants: Record<string, Contestant> = {};
  for (const count of ENDED) {
    const stage = stages.use(new Stage(holt));
    const { state } = stage;
    fill(state, count);
    await stage.holt("ls"); // makes the cache, which the daemon waits for
    await stage.daemon();
    const forget = (): void => ["", "-wal", "-shm"].forEach((end) => rmSync(`${state}/holt.db${end}`, { force: true }));
    const of = count.toLocaleString("en");
    contestants[`\`session.list {limit: 50}\` of ${of}`] = () =>
      calls(stage, (client) => client.call("session.list", PAGE));
    contestants[`\`holt ls\` of ${of}`] = () => timed([holt, "ls"], stage);
    contestants[`\`holt ls --all -q\` of ${of}`] = () => timed([holt, "ls", "--all", "-q"], stage);
    contestants[`\`holt ls\` of ${of}, the cache is made`] = () => {
      forget();
      return timed([holt, "ls"], stage);
    };
  }
  const about = `Sessions that ended long ago. A call is the mean of ${CALLS} over one connection; the others are a process each.`;
  return standings("Growth with ended sessions", about, await compare(contestants));
}

async function startMany(stage: Stage, count: number): Promise<Living> {
  await stage.daemon();
  const startMs = await inTurn(count, () => stage.holt("start", "--", ...COMMAND));
  const tmuxMs = await inTurn(count, () => stage.tmux("new-session", "-d", ...COMMAND));
  return { count, stage, startMs, tmuxMs };
}

async function inTurn(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let i = 0; i < count; i++) await work();
  return performance.now() - began;
}

async function calls(stage: Stage, call: (client: DaemonClient) => Promise<unknown>): ReturnType<Contestant> {
  using client = await stage.client();
  await call(client);
  return { ms: (await inTurn(CALLS, () => call(client))) / CALLS };
}

function daemonPid({ state }: Stage): number {
  const pid = daemonProcess(layoutAt(state))?.pid;
  if (pid === undefined) throw new Error("no daemon");
  return pid;
}

async function tmuxMemory({ stage }: Living): Promise<string> {
  return mb(pssKb(Number(await stage.tmux("display-message", "-p", "#{pid}"))));
}

function holderMemory({ stage }: Living): string {
  const holders = new LocalSessions(layoutAt(stage.state)).living().map(({ holder }) => holder.pid);
  return mb(median(holders.map((pid) => sum([pid, ...childrenOf(pid).filter(isLeader)].map(pssKb)))));
}

function inMs(standing: Standing): string {
  return ms(standing.ms);
}

function ratio(results: readonly Standing[]): string {
  return results.at(-1)?.ratio.toFixed(2) ?? "";
}

function fill(root: string, count: number): void {
  const layout = layoutAt(root);
  prepareLayout(layout);
  for (let i = 0; i < count; i++) {
    const id = `s${String(i).padStart(6, "0")}`;
    using dir = SessionDir.create(layout, id);
    dir.lock();
    const at = new Date(Date.now() - (count - i) * 60_000).toISOString();
    writeMeta(dir, metaOf(id, { created_at: at, started_at: at }));
    dir.writeAtomic("final.json", JSON.stringify(finalOf(id, { ended_at: at })), { sync: false });
  }
}
