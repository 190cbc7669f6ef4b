/** Output that is meant to harm whoever looks on: they see what follows it, nothing reaches their clipboard, and the holder stays small. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached, type Watcher } from "./detached.ts";
import { isAlive, privateMemory } from "./processes.ts";
import { RawClient, HELLO } from "./raw-client.ts";
import { ATTACH_FRAME } from "../../src/protocol/wire/attach.ts";
import { encodeJsonFrame } from "../../src/protocol/wire/frames.ts";
import { viewerRequest } from "../../src/client/read/viewer-request.ts";
import { size, until } from "./size.ts";

const MAX_MEMORY_KB = 150 * 1024;

/** Runs the script in front of somebody who reads, somebody who does not, and the emulator; then all must still see what comes. */
async function inFrontOf(script: string, look: (watcher: Watcher) => void = () => {}): Promise<void> {
  using bench = new Detached();
  const wait = "echo ready; stty -echo; read -r line; ";
  const id = await bench.start(
    `${wait}${script}; printf '\\033[!p\\033[?1049l\\033c\\r\\n'; echo the end; read -r line`,
    ["--cwd", bench.root],
  );
  const holder = bench.holder(id);
  using watcher = await bench.watch(id);
  await watcher.sees("ready");
  using idle = await RawClient.dial(bench.meta(id).socket ?? "", { reads: false });
  await idle.say(HELLO, encodeJsonFrame(ATTACH_FRAME.attach, viewerRequest("idle", { once: false })));
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, privateMemory(holder));
  }, 20);
  watcher.type("\n");
  await bench.run(["wait", id, "--until", "match=the end", "--timeout", "300s"]);
  await watcher.sees("the end", 120_000);
  expect((await bench.run(["screen", id])).text).toContain("the end");
  clearInterval(watching);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(MAX_MEMORY_KB);
  look(watcher);
  await bench.end(id);
}

test("a clipboard is not written, read or cleared, however it is asked for", async () => {
  let shown = "";
  await inFrontOf(
    `for i in $(seq ${size(200, 5000)}); do printf '\\033]52;c;aGFja2Vk\\007\\033]52;p;?\\033\\\\\\033]52;;!\\007x\\033]5'; sleep 0; printf '2;c;aGFja2Vk\\007'; done`,
    (watcher) => {
      shown = watcher.text;
    },
  );
  expect(shown).not.toContain("]52");
  expect(shown).not.toContain("aGFja2Vk");
});

test("titles by the thousand, and one of a megabyte", async () => {
  const count = size(20_000, 1_000_000);
  await inFrontOf(
    `i=0; while [ $i -lt ${count} ]; do printf '\\033]0;title %d\\007\\033]2;%d\\033\\\\\\033[22;0t' $i $i; i=$((i+1)); done; printf '\\033]0;'; head -c 1000000 /dev/zero | tr '\\0' a; printf '\\007'`,
  );
});

test(`an OSC of ${size(20, 100)} MB that never ends, until it does`, async () => {
  await inFrontOf(
    `printf '\\033]1337;'; head -c ${size(20_000_000, 100_000_000)} /dev/zero | tr '\\0' a; printf '\\007'`,
  );
});

test("an alternate screen that is entered and left a hundred thousand times", async () => {
  const toggles = size(20_000, 100_000);
  await inFrontOf(`yes "$(printf '\\033[?1049h\\033[?25l\\033[?1049l\\033[?25h')" | head -n ${toggles} | tr -d '\\n'`);
});

test("resizes in the middle of a flood: everybody ends with the same screen", async () => {
  using bench = new Detached();
  const id = await bench.start(
    "echo ready; read -r line; until [ -e enough ]; do seq 1 2000; done; clear; stty size; echo the end; read -r line",
    ["--cwd", bench.root],
  );
  using one = await bench.watch(id, { size: { cols: 80, rows: 24, width: 0, height: 0 } });
  using two = await bench.watch(id);
  await one.sees("ready");
  one.type("\n");
  for (let i = 0; i < size(50, 2000); i++) {
    one.resize(40 + (i % 80), 10 + (i % 40));
    if (i % 5 === 0) await Bun.sleep(10);
  }
  one.resize(77, 22);
  await until(
    "the last size counts",
    () => bench.events(id).findLast(({ type }) => type === "resize")?.["cols"] === 77,
  );
  writeFileSync(join(bench.root, "enough"), "");
  for (const watcher of [one, two]) await watcher.sees(/22 77\r\nthe end/);
  expect((await bench.run(["screen", id])).text).toStartWith("22 77\nthe end\n");
  await bench.end(id);
});

test("a session that ends while its replay is made: who attached is told how it ended", async () => {
  for (let round = 0; round < size(3, 50); round++) {
    using bench = new Detached();
    const lines = 50_000 + round * 10_000;
    const id = await bench.start(
      `seq ${lines} | sed 's/$/ \\x1b[3mline\\x1b[0m/'; touch printed; until [ -e go ]; do sleep 0.01; done; exit 7`,
      ["--cwd", bench.root],
    );
    await until("all is printed", () => existsSync(join(bench.root, "printed")));
    await using user = new TerminalUser([HOLT, "attach", "--exit-code", id], { env: bench.env, cwd: bench.root });
    await until("it is attached", () => bench.events(id).some(({ type }) => type === "attach"));
    writeFileSync(join(bench.root, "go"), "");
    expect(await user.exit()).toEqual({ exitCode: 7, signal: null });
    expect(user.text).toContain(`holt: ${id} exited 7`);
    await until("its holder is gone", () => bench.holders().length === 0);
  }
});

test("a holder that is killed in the middle of a replay: who attached is told so, and has their terminal back", async () => {
  for (let round = 0; round < size(3, 50); round++) {
    using bench = new Detached();
    const id = await bench.start(`seq ${200_000 + round * 3000}; touch printed; sleep 600`, ["--cwd", bench.root]);
    await until("all is printed", () => existsSync(join(bench.root, "printed")));
    const script = `before=$(stty -g); "$HOLT" attach ${id}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo as "it was"`;
    await using user = new TerminalUser(["bash", "-c", script], { env: { ...bench.env, HOLT }, cwd: bench.root });
    await until("it is attached", () => bench.events(id).some(({ type }) => type === "attach"));
    await Bun.sleep((round * 7) % 50);
    process.kill(bench.holder(id), "SIGKILL");
    await user.sees("as it was");
    expect(user.text).toMatch(/holder/);
    expect(user.text).toContain("code 1");
    await until("the command is gone too", () => !isAlive(bench.meta(id).process?.pid ?? 0));
  }
});
