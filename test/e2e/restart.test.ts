import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/protocol/types/session.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

async function start(bench: Bench, script: string, args: string[]): Promise<string> {
  const { text, stderr, exitCode } = await bench.run(["start", ...args, "--", "sh", "-c", script]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return text.trim();
}

const over = (bench: Bench, first: string): Promise<void> =>
  until("the holder is gone", () => !isAlive(bench.meta(first).holder.pid));

async function show(bench: Bench, id: string): Promise<Session> {
  return JSON.parse((await bench.run(["show", id, "--json"])).text) as Session;
}

/** The ids of a chain, along `next_session_id`; each names the one before it. */
async function chain(bench: Bench, first: string): Promise<string[]> {
  const ids: string[] = [];
  for (let id: string | null = first, previous: string | null = null; id !== null; ) {
    const session: Session = await show(bench, id);
    expect(session.previous_session_id).toBe(previous);
    ids.push(id);
    previous = id;
    id = session.next_session_id;
  }
  expect(ids.toSorted()).toEqual(bench.ids);
  return ids;
}

/** The session after this one, once it is there. */
async function after(bench: Bench, id: string): Promise<string> {
  const next = (): unknown => bench.events(id).find(({ type }) => type === "restart")?.["next_session_id"];
  await until(`${id} is started again`, () => typeof next() === "string");
  return String(next());
}

const sees = (bench: Bench, id: string, text: string): Promise<void> =>
  until(`${id} prints ${text}`, () => existsSync(join(bench.state, "sessions", id)) && bench.output(id).includes(text));

/** In KiB, without the pages of the executable, which are private or shared as other holts come and go. */
function anonymousMemory(pid: number): number {
  return Number(/^Anonymous: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]);
}

/** Says which run it is. */
const COUNT = "echo x >> runs; n=$(wc -l < runs); echo run $n;";

/** The command has been started so often. */
const ran = (bench: Bench, times: number): Promise<void> =>
  until(
    `run ${times}`,
    () => existsSync(join(bench.root, "runs")) && readFileSync(join(bench.root, "runs")).length >= 2 * times,
    60_000,
  );

describe("holt start --restart", () => {
  test.each([["--no-pty"], ["--size=80x24"]])(
    "A command that fails twice and then succeeds is three sessions, each with its own output and end. (%s)",
    async (transport) => {
      using bench = new Bench();
      const args = ["--restart", "on-failure", "--restart-delay", "1ms", "--name", "job", transport];
      const first = await start(bench, `${COUNT} [ $n -ge 3 ] || exit $((n + 10))`, args);
      await over(bench, first);
      const ids = await chain(bench, first);
      expect(ids.map((id) => bench.output(id).toString().trim())).toEqual(["run 1", "run 2", "run 3"]);
      expect(ids.map((id) => bench.final(id).exit_code)).toEqual([11, 12, 0]);
      expect(ids.map((id) => bench.final(id).reason)).toEqual(["completed", "completed", "completed"]);
      expect(ids.map((id) => bench.meta(id).restart?.count)).toEqual([0, 1, 2]);
      expect(ids.map((id) => bench.meta(id).name)).toEqual(["job", "job", "job"]);
      // The name is the last one's.
      expect((await show(bench, "job")).session_id).toBe(ids[2] ?? "");
    },
  );

  test("always starts it again after a success too, as often as is allowed; the wait doubles up to its cap.", async () => {
    using bench = new Bench();
    const args = ["--no-pty", "--restart", "always", "--max-restarts", "4", "--restart-delay", "3ms"];
    const first = await start(bench, "exit 0", args);
    await over(bench, first);
    const ids = await chain(bench, first);
    expect(ids).toHaveLength(5);
    const delays = ids.flatMap((id) => bench.events(id).filter(({ type }) => type === "backoff"));
    expect(delays.map(({ delay_ms }) => delay_ms)).toEqual([3, 6, 12, 24]);
    expect(bench.events(ids[4]).map(({ type }) => type)).toContain("restart_limit");
    expect(bench.ids.filter((id) => existsSync(join(bench.state, "sessions", id, "final.json")))).toHaveLength(5);
  });

  test("A command that was ended by a signal has failed; one that succeeded has not.", async () => {
    using bench = new Bench();
    const args = ["--no-pty", "--restart", "on-failure", "--restart-delay", "0s"];
    const first = await start(bench, `${COUNT} [ $n -ge 2 ] || kill -9 $$`, args);
    await over(bench, first);
    const ids = await chain(bench, first);
    expect(ids.map((id) => bench.final(id).state)).toEqual(["signaled", "exited"]);
  });

  test("One that cannot be started at all is not tried again; one that ran before is.", async () => {
    using bench = new Bench();
    const args = ["--restart", "always", "--max-restarts", "2", "--restart-delay", "0s"];
    const refused = await bench.run(["start", ...args, "--", "./not-there"]);
    expect(refused.exitCode).toBe(127);
    expect(bench.ids).toHaveLength(1);

    using other = new Bench();
    writeFileSync(join(other.root, "once"), "#!/bin/sh\nrm once\n", { mode: 0o755 });
    const { text } = await other.run(["start", ...args, "--", "./once"]);
    await over(other, text.trim());
    const ids = await chain(other, text.trim());
    expect(ids.map((id) => other.final(id).reason)).toEqual(["completed", "spawn_failed", "spawn_failed"]);
  });

  test.each(["stop", "kill"] as const)("To %s the attempt that runs ends them all.", async (verb) => {
    using bench = new Bench();
    const first = await start(bench, `${COUNT} [ $n -ge 2 ] || exit 1; sleep 600`, [
      "--restart",
      "always",
      "--restart-delay",
      "1ms",
      "--name",
      "job",
    ]);
    const second = await after(bench, first);
    await sees(bench, second, "run 2");
    expect(await bench.run([verb, "job"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.final(second).reason).toBe(`${verb}_requested`);
    await over(bench, first);
    expect(await chain(bench, first)).toEqual([first, second]);
  });

  test("The id of an earlier attempt stands for those that came after it.", async () => {
    using bench = new Bench();
    const first = await start(bench, `${COUNT} [ $n -ge 4 ] || exit 1; sleep 600`, [
      "--no-pty",
      "--restart",
      "on-failure",
      "--restart-delay",
      "1ms",
    ]);
    await ran(bench, 4);
    expect((await bench.run(["stop", first])).exitCode).toBe(0);
    const ids = await chain(bench, first);
    expect(ids.map((id) => bench.final(id).reason)).toEqual(["completed", "completed", "completed", "stop_requested"]);
    await over(bench, first);
  });

  test("However fast it is started again and again, to stop it ends it.", async () => {
    using bench = new Bench();
    for (const [round, by] of ["first", "name", "first", "name", "first", "name"].entries()) {
      const name = `job${round}`;
      const first = await start(bench, "exit 1", [
        "--no-pty",
        "--restart",
        "always",
        "--restart-delay",
        "0s",
        "--name",
        name,
      ]);
      await after(bench, await after(bench, first));
      expect(await bench.run(["stop", by === "first" ? first : name])).toMatchObject({ stderr: "", exitCode: 0 });
      await over(bench, first);
    }
    expect(bench.ids.filter((id) => !existsSync(join(bench.state, "sessions", id, "final.json")))).toEqual([]);
  });

  test.each(["stop", "kill", "signal"] as const)("A wait is ended by %s, and nothing is started.", async (verb) => {
    using bench = new Bench();
    const first = await start(bench, `${COUNT} exit 1`, [
      "--restart",
      "on-failure",
      "--restart-delay",
      "600s",
      "--name",
      "job",
    ]);
    const second = await after(bench, first);
    await until("the first has ended", () => existsSync(join(bench.state, "sessions", first, "final.json")));
    expect(await show(bench, "job")).toMatchObject({ session_id: second, state: "starting", process: null });
    expect((await bench.run(["send", "job", "--text", "x"])).stderr).toContain("it waits to be started again");
    expect((await bench.run(["rename", "job", "renamed"])).exitCode).toBe(0);
    if (verb === "signal") process.kill(bench.meta(first).holder.pid, "SIGTERM");
    else expect(await bench.run([verb, "renamed"])).toMatchObject({ stderr: "", exitCode: 0 });
    await over(bench, first);
    const reason = verb === "kill" ? "kill_requested" : "stop_requested";
    expect(await show(bench, second)).toMatchObject({ state: "failed", reason, error: null, name: "renamed" });
    expect(await chain(bench, first)).toEqual([first, second]);
    expect((await bench.run(["ls"])).text).toContain("not started again");
    expect(readdirSync(join(bench.state, "run"))).toEqual([]);
  });

  test("A holder that is killed takes the chain with it, and that is told.", async () => {
    using bench = new Bench();
    const first = await start(bench, `${COUNT} exit 1`, ["--restart", "on-failure", "--restart-delay", "600s"]);
    const second = await after(bench, first);
    await until("the first has ended", () => existsSync(join(bench.state, "sessions", first, "final.json")));
    process.kill(bench.meta(first).holder.pid, "SIGKILL");
    await over(bench, first);
    expect(await show(bench, second)).toMatchObject({ state: "failed", reason: "holder_lost", survivors: [] });
    expect(await show(bench, first)).toMatchObject({ state: "exited", exit_code: 1, next_session_id: second });
    expect((await bench.run(["stop", first])).exitCode).toBe(0);
    expect(await chain(bench, first)).toEqual([first, second]);
  });

  test("A list has the last attempt alone, with how many there were before it; --all has every one.", async () => {
    using bench = new Bench();
    const first = await start(bench, "exit 1", [
      "--no-pty",
      "--restart",
      "on-failure",
      "--max-restarts",
      "2",
      "--restart-delay",
      "0s",
    ]);
    await over(bench, first);
    const ids = await chain(bench, first);
    expect((await bench.run(["ls", "-q"])).text).toBe(`${ids[2]}\n`);
    expect((await bench.run(["ls", "-q", "--all"])).text.trim().split("\n")).toEqual(ids.toReversed());
    expect((await bench.run(["show", ids[1] ?? ""])).text).toMatch(
      new RegExp(`^restart\ton failure, at most 2 in a row; 1 so far\nprevious\t${ids[0]}\nnext\t${ids[2]}$`, "m"),
    );
  });

  test("What makes no sense is refused before anything is started.", async () => {
    using bench = new Bench();
    const refused = async (...args: string[]): Promise<string> => {
      const { stderr, exitCode } = await bench.run(["start", ...args, "--", "true"]);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused("--restart", "sometimes")).toContain("never, on-failure, always");
    expect(await refused("--max-restarts", "3")).toContain("--max-restarts needs --restart");
    expect(await refused("--restart", "never", "--restart-delay", "1s")).toContain("--restart-delay needs --restart");
    expect(await refused("--restart", "always", "--restart-delay", "soon")).toContain(
      'invalid --restart-delay: "soon"',
    );
    expect(existsSync(bench.state)).toBe(false);
  });
});

test.each([["--no-pty"], ["--size=80x24"]])(
  "Two hundred restarts cost the holder no descriptor and no memory to speak of. (%s)",
  async (transport) => {
    using bench = new Bench();
    const script = `${COUNT} case $n in 20|220) until [ -e go$n ]; do sleep 0.02; done;; esac; exit 1`;
    const first = await start(bench, script, [
      transport,
      "--restart",
      "always",
      "--restart-delay",
      "0s",
      "--name",
      "job",
    ]);
    const { pid } = bench.meta(first).holder;
    const measure = async (run: number): Promise<{ fds: number; kilobytes: number }> => {
      await ran(bench, run);
      await Bun.sleep(1500); // the collector comes a second after a start
      return { fds: readdirSync(`/proc/${pid}/fd`).length, kilobytes: anonymousMemory(pid) };
    };
    const early = await measure(20);
    writeFileSync(join(bench.root, "go20"), "");
    const late = await measure(220);
    expect(late.fds).toBe(early.fds);
    expect(late.kilobytes - early.kilobytes).toBeLessThan(4 * 1024);
    await bench.run(["kill", "job"]);
    await over(bench, first);
    expect(bench.ids).toHaveLength(220);
    const finals = bench.ids.map((id) => bench.final(id));
    expect(finals.filter(({ exit_code }) => exit_code === 1)).toHaveLength(219);
    expect(readdirSync(join(bench.state, "run"))).toEqual([]);
  },
  120_000,
);
