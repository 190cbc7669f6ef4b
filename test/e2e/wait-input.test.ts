/** Whether a program waits for a person, or listens: found out by looking at real programs. */
import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

async function start(bench: Bench, command: string[], args: string[] = []): Promise<void> {
  const { stderr, exitCode } = await bench.run([
    "start",
    "--session-id",
    "x",
    "-e",
    "TMPDIR=.",
    "-e",
    `HOME=${bench.root}`,
    ...args,
    "--",
    ...command,
  ]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
}

const waits = (bench: Bench, ms: number) => bench.run(["wait", "x", "--until", "input", "--timeout", `${ms}ms`]);
const YES_MS = 20_000;
/** Long enough for a dozen looks. */
const NO_MS = 1000;

describe("holt wait --until input", () => {
  test.each([
    ["a password that bash reads", ["bash", "-c", "read -s -p 'Password: ' x"], "echo_off"],
    ["a password that python reads", ["python3", "-c", "import getpass; getpass.getpass()"], "echo_off"],
    ["an apt-style question", ["bash", "-c", "read -p 'Do you want to continue? [Y/n] ' x"], "reading"],
    ["python's prompt", ["python3", "-q"], "reading"],
    ["node's prompt", ["node"], "reading"],
    ["sqlite3's prompt", ["sqlite3"], "reading"],
    ["gdb's prompt", ["gdb", "-q", "-nx"], "reading"],
    ["vim", ["vim", "-u", "NONE", "-i", "NONE"], "reading"],
    ["less", ["less", "/etc/services"], "reading"],
    ["a pager at the end of a pipeline", ["sh", "-c", "yes | less"], "reading"],
    ["bash's prompt", ["bash", "--norc", "--noprofile"], "reading"],
    ["fish's prompt", ["fish", "--no-config"], "reading"],
    ["zsh's prompt", ["zsh", "-f"], "reading"],
    ["a shell in a shell", ["bash", "-c", "bash --norc; true"], "reading"],
    ["cat", ["cat"], "reading"],
    ["top", ["top"], "reading"],
    ["a question while something runs in the background", ["sh", "-c", "while :; do :; done & read x"], "reading"],
    ["a program that opened /dev/tty", ["sh", "-c", "read x < /dev/tty"], "reading"],
  ])("%s does", async (_, command, reason) => {
    using bench = new Bench();
    await start(bench, command);
    expect(await waits(bench, YES_MS)).toMatchObject({ text: `${reason}\n`, stderr: "", exitCode: 0 });
    await bench.run(["kill", "x"]);
  });

  const POLLED = `import select, socket
listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen()
client = socket.create_connection(listener.getsockname())
`;
  const SPINNER = `import select
while True:
    print(".", end="", flush=True)
    select.select([0], [], [], 0.08)`;

  test.each([
    ["one that sleeps", ["sleep", "100"]],
    ["one that sleeps with the echo off", ["sh", "-c", "stty -echo; exec sleep 100"]],
    ["a pipeline of which nobody reads the terminal", ["sh", "-c", "sleep 100 | cat"]],
    ["a shell that waits for its child", ["bash", "-c", "sleep 100; true"]],
    ["one that computes", ["sh", "-c", "while :; do :; done"]],
    ["a compiler", ["sh", "-c", "while :; do echo 'int main(){return 0;}' | gcc -O2 -x c -o out -; done"]],
    [
      "one that writes to the disk",
      ["sh", "-c", "while :; do dd if=/dev/zero of=file bs=64k count=100 oflag=dsync status=none; done"],
    ],
    ["one that waits for the network", ["python3", "-c", `${POLLED}client.recv(1)`]],
    ["one that waits for the network or a key", ["python3", "-c", `${POLLED}select.select([0, client], [], [])`]],
    [
      "one whose child works while it also looks at the keyboard",
      ["node", "-e", 'process.stdin.resume(); require("child_process").spawn("sh", ["-c", "while :; do :; done"])'],
    ],
    ["one that draws a spinner between looks at the keyboard", ["python3", "-c", SPINNER]],
    [
      "node with a spinner",
      ["node", "-e", 'process.stdin.setRawMode(true).resume(); setInterval(() => process.stdout.write("."), 80)'],
    ],
  ])("%s does not", async (_, command) => {
    using bench = new Bench();
    await start(bench, command);
    expect(await waits(bench, NO_MS)).toMatchObject({ text: "", stderr: "", exitCode: 124 });
    await bench.run(["kill", "x"]);
  });

  test("one that was sent something waits again when it has dealt with it", async () => {
    using bench = new Bench();
    await start(bench, ["sh", "-c", "while read x; do until [ -e $x ]; do sleep 0.02; done; echo did $x; done"]);
    expect(await waits(bench, YES_MS)).toMatchObject({ text: "reading\n" });
    for (const name of ["a", "b", "c"]) {
      await bench.run(["send", "x", "--text", name, "--enter"]);
      const waiting = bench.run(["wait", "x", "--json", "--until", "input"]);
      expect(await bench.run(["wait", "x", "--until", "input", "--timeout", "200ms"])).toMatchObject({ exitCode: 124 });
      writeFileSync(join(bench.root, name), "");
      const { outcome, cursor, reason, evidence } = JSON.parse((await waiting).text) as Record<string, string>;
      expect([outcome, reason, evidence]).toEqual(["input", "reading", "syscall"]);
      expect(bench.output("x").subarray(0, Number(cursor)).toString()).toEndWith(`did ${name}\r\n`);
    }
    await bench.run(["kill", "x"]);
  });

  test("half a line is no line: it waits for the rest", async () => {
    using bench = new Bench();
    await start(bench, ["sh", "-c", "read x; sleep 100"]);
    await bench.run(["send", "x", "--text", "ha"]);
    expect(await waits(bench, YES_MS)).toMatchObject({ text: "reading\n" });
    await bench.run(["send", "x", "--text", "lf", "--enter"]);
    expect(await waits(bench, 500)).toMatchObject({ exitCode: 124 });
    await bench.run(["kill", "x"]);
  });

  test("on pipes, one that reads its stdin does, and one that reads another pipe does not", async () => {
    using bench = new Bench();
    await start(bench, ["sh", "-c", "read x; sleep 100 | cat"], ["--no-pty"]);
    expect(await waits(bench, YES_MS)).toMatchObject({ text: "reading\n", exitCode: 0 });
    await bench.run(["send", "x", "--text", "a\n"]);
    expect(await waits(bench, 500)).toMatchObject({ exitCode: 124 });
    await bench.run(["kill", "x"]);
  });

  test("a run in somebody's terminal is looked at as well", async () => {
    using bench = new Bench();
    await using user = new TerminalUser([HOLT, "run", "--session-id", "x", "--", "sh", "-c", "sleep 0.3; read x"], {
      env: bench.env,
      cwd: bench.root,
    });
    await until("it is there", () => existsSync(join(bench.state, "sessions", "x", "meta.json")));
    expect(await waits(bench, YES_MS)).toMatchObject({ text: "reading\n", exitCode: 0 });
    user.type("\n");
    expect((await user.exit()).exitCode).toBe(0);
  });

  test("an end is exit 3 here too", async () => {
    using bench = new Bench();
    await start(bench, ["sh", "-c", "sleep 0.3"]);
    expect(await waits(bench, YES_MS)).toMatchObject({ text: "", stderr: "", exitCode: 3 });
  });
});

describe("holt wait --until port", () => {
  const LISTEN = (port: number, host: string): string =>
    `import socket, time; s = socket.socket(socket.${host.includes(":") ? "AF_INET6" : "AF_INET"}); s.bind(("${host}", ${port})); time.sleep(0.2); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(100)`;

  test.each([
    ["127.0.0.1", /^127\.0\.0\.1:\d+\n$/],
    ["0.0.0.0", /^0\.0\.0\.0:\d+\n$/],
    ["::1", /^\[::1\]:\d+\n$/],
  ])("names where a descendant listens: %s", async (host, shown) => {
    using bench = new Bench();
    await start(bench, ["sh", "-c", `setsid python3 -c '${LISTEN(0, host)}'; true`]);
    const { text, stderr, exitCode } = await bench.run(["wait", "x", "--until", "port", "--timeout", "20s"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(text).toMatch(shown);
    await until("it prints the port", () => bench.output("x").includes("\n"));
    const port = bench.output("x").toString().trim();
    expect(text).toEndWith(`:${port}\n`);
    const json = await bench.run(["wait", "x", "--json", "--until", `port=${port}`]);
    expect(JSON.parse(json.text)).toMatchObject({ outcome: "port", port: Number(port), address: host });
    const other = String(Number(port) === 65535 ? 1 : Number(port) + 1);
    expect(await bench.run(["wait", "x", "--until", `port=${other}`, "--timeout", "300ms"])).toMatchObject({
      text: "",
      exitCode: 124,
    });
    await bench.run(["kill", "x"]);
  });

  test("somebody else's port is not the session's", async () => {
    using bench = new Bench();
    using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    await start(bench, ["sleep", "100"]);
    const args = ["wait", "x", "--until", "port", "--until", `port=${server.port}`, "--timeout", "500ms"];
    expect(await bench.run(args)).toMatchObject({ text: "", exitCode: 124 });
    await bench.run(["kill", "x"]);
  });
});
