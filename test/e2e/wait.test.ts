import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "../../src/platform/process/processes.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const HOLD = "until [ -e go ]; do sleep 0.02; done";

async function start(bench: Bench, script: string): Promise<void> {
  const { exitCode } = await bench.run(["start", "--session-id", "x", "--no-pty", "--", "sh", "-c", script]);
  expect(exitCode).toBe(0);
}

const go = (bench: Bench): void => writeFileSync(join(bench.root, "go"), "");
const sees = (bench: Bench, text: string): Promise<void> =>
  until(`it prints ${text}`, () => bench.output("x").includes(text));

async function ended(bench: Bench): Promise<void> {
  await until("it has ended", () => existsSync(join(bench.state, "sessions", "x", "final.json")));
}

describe("holt wait", () => {
  test("returns when the session has ended, and says how with --json", async () => {
    using bench = new Bench();
    await start(bench, `${HOLD}; echo out; exit 7`);
    const waiting = bench.run(["wait", "--json", "x"]);
    go(bench);
    expect(await waiting).toMatchObject({
      text: '{"outcome":"exited","cursor":"4","match":null,"reason":null,"evidence":null,"port":null,"address":null,"unjudged":false,"exit_code":7,"signal":null,"end_reason":"completed"}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(await bench.run(["wait", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });

  test("finds a match across chunks and escape sequences, and prints it", async () => {
    using bench = new Bench();
    await start(
      bench,
      `printf 'noise\\nlisten\\033[31m'; sleep 0.1; printf 'ing on \\303'; sleep 0.1; printf '\\266port 80\\n'; ${HOLD}`,
    );
    const args = ["wait", "x", "--since", "0", "--until", "match=^listening on öport \\d+$"];
    expect(await bench.run(args)).toMatchObject({ text: "listening on öport 80\n", stderr: "", exitCode: 0 });
    go(bench);
    await ended(bench);
  });

  test("takes no place in the middle of a long line for its beginning", async () => {
    using bench = new Bench();
    await start(bench, "printf a; i=0; while [ $i -lt 40 ]; do printf '%08192d' 0; i=$((i+1)); done; printf '\\nb'");
    expect(await bench.run(["wait", "x", "--since", "0", "--until", "match=^0"])).toMatchObject({
      text: "",
      exitCode: 3,
    });
    expect(await bench.run(["wait", "x", "--since", "0", "--until", "match=^b"])).toMatchObject({
      text: "b\n",
      exitCode: 0,
    });
  });

  /** The search could not be interrupted: a bad pattern, or a long line, held up the wait for minutes past its timeout. */
  test.each([
    ["backtracks without end", "(a+)+$", "printf '%s\\n' $(printf '%060d' 0 | tr 0 a)b"],
    ["reads a long line again from every character", ".*x", "head -c 4000000 /dev/zero | tr '\\0' y"],
  ])("keeps its timeout with a pattern that %s", async (_, pattern, script) => {
    using bench = new Bench();
    await start(bench, `${script}; ${HOLD}`);
    const waiting = bench.run(["wait", "x", "--since", "0", "--until", `match=${pattern}`, "--timeout", "500ms"]);
    expect(await waiting).toMatchObject({ text: "", stderr: "", exitCode: 124 });
    go(bench);
    await ended(bench);
  });

  test("takes the process that searches along when it is killed", async () => {
    using bench = new Bench();
    await start(bench, `printf '%s\\n' $(printf '%060d' 0 | tr 0 a)b; ${HOLD}`);
    const args = ["wait", "x", "--since", "0", "--until", "match=(a+)+$"];
    const wait = Bun.spawn([HOLT, ...args], { env: bench.env, stdio: ["ignore", "ignore", "ignore"] });
    const searching = (): number[] => childrenOf(wait.pid) ?? [];
    await until("it searches", () => searching().length > 0);
    const [child = 0] = searching();
    wait.kill("SIGKILL");
    await wait.exited;
    await until("nobody searches", () => !isAlive(child));
    go(bench);
    await ended(bench);
  });

  test("is not woken by what was printed before", async () => {
    using bench = new Bench();
    await start(bench, `echo ready; ${HOLD}; echo ready again`);
    await sees(bench, "ready");
    const waiting = bench.run(["wait", "x", "--since", "6", "--until", "match=ready.*"]);
    expect(await bench.run(["wait", "x", "--until", "output", "--timeout", "100ms"])).toMatchObject({
      text: "",
      exitCode: 124,
    });
    go(bench);
    expect(await waiting).toMatchObject({ text: "ready again\n", exitCode: 0 });
    await ended(bench);
    expect(await bench.run(["wait", "x", "--since", "0", "--until", "match=ready.*"])).toMatchObject({
      text: "ready\n",
      exitCode: 0,
    });
  });

  test("goes on when nothing was printed for as long as was asked", async () => {
    using bench = new Bench();
    await start(bench, `for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; ${HOLD}`);
    expect(await bench.run(["wait", "x", "--json", "--since", "0", "--until", "idle=1s"])).toMatchObject({
      text: '{"outcome":"idle","cursor":"10","match":null,"reason":null,"evidence":null,"port":null,"address":null,"unjudged":false,"exit_code":null,"signal":null,"end_reason":null}\n',
      exitCode: 0,
    });
    go(bench);
    await ended(bench);
  });

  test("is woken by the first of several, and by an end that nobody asked for with exit 3", async () => {
    using bench = new Bench();
    await start(bench, `echo some; ${HOLD}; exit 0`);
    const either = ["wait", "x", "--json", "--since", "0", "-u", "match=never", "-u", "output"];
    expect(await bench.run(either)).toMatchObject({ exitCode: 0, text: expect.stringContaining('"outcome":"data"') });
    const waiting = bench.run(["wait", "x", "--since", "0", "--until", "match=never"]);
    go(bench);
    expect(await waiting).toMatchObject({ text: "", stderr: "", exitCode: 3 });
  });

  test.each([
    ["sometime", "use exit, output, idle=DURATION, match=REGEX, screen=REGEX, input"],
    ["port=0", "use a port from 1 to 65535"],
    ["port=http", "use a port from 1 to 65535"],
    ["input=now", "use exit, output"],
    ["idle=soon", "use a positive duration"],
    ["idle=0s", "use a positive duration"],
    ["match=(", "Invalid regular expression"],
    ["match=", "use exit, output"],
  ])("--until %s is refused with exit 2", async (condition, hint) => {
    using bench = new Bench();
    const { stderr, exitCode } = await bench.run(["wait", "x", "--until", condition]);
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith(`holt: invalid --until: ${JSON.stringify(condition)}\n      ${hint}`);
  });

  test("--exit-code ends as the session did, and only if it ended", async () => {
    using bench = new Bench();
    await start(bench, `${HOLD}; exit 7`);
    expect(await bench.run(["wait", "x", "--exit-code", "--until", "idle=10ms"])).toMatchObject({ exitCode: 0 });
    expect(await bench.run(["wait", "x", "--exit-code", "--timeout", "10ms"])).toMatchObject({ exitCode: 124 });
    const waiting = bench.run(["wait", "x", "--exit-code"]);
    go(bench);
    expect(await waiting).toMatchObject({ text: "", stderr: "", exitCode: 7 });
    expect(await bench.run(["wait", "x", "--exit-code", "--until", "match=never"])).toMatchObject({ exitCode: 7 });
    await bench.run(["start", "--session-id", "y", "--no-pty", "--", "sh", "-c", "kill -TERM $$"]);
    expect(await bench.run(["wait", "y", "--exit-code"])).toMatchObject({ exitCode: 143 });
    await bench.run(["start", "--session-id", "z", "--no-pty", "--timeout", "50ms", "--", "sleep", "60"]);
    const { text } = await bench.run(["wait", "z", "--json"]);
    expect(JSON.parse(text)).toMatchObject({ signal: "SIGTERM", reason: null, end_reason: "timeout" });
  });

  test("a person is told how it ended, and that the time is up", async () => {
    using bench = new Bench();
    await start(bench, `${HOLD}; exit 7`);
    const told = async (...args: string[]): Promise<string> => {
      await using user = new TerminalUser([HOLT, "wait", "x", ...args], { env: bench.env, cwd: bench.root });
      await user.exit();
      return user.text;
    };
    expect(await told("--timeout", "10ms")).toBe("holt: the timeout expired; x keeps running\r\n");
    go(bench);
    await ended(bench);
    expect(await told()).toBe("holt: x exited 7\r\n");
    expect(await told("--until", "match=never")).toBe("holt: x exited 7 before that\r\n");
  });

  test("an unknown session is named", async () => {
    using bench = new Bench();
    expect(await bench.run(["wait", "nobody"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("session not found: nobody"),
    });
  });
});
