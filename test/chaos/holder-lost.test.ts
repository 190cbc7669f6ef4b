/** The holder of a session on its own is killed: whoever is attached is told and has their terminal back; what it left running is named, and can be ended. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { end } from "../daemon/household.ts";
import { Detached } from "./detached.ts";
import { isAlive } from "./processes.ts";
import { size, until } from "./size.ts";

const ROUNDS = size(1, 50);

/** Three that outlive a hang-up: in its group, in a session of its own, and one that ignores what it can. */
const LEAVES = `
  nohup sleep 600 >/dev/null 2>&1 & echo $! > one
  setsid sleep 600 >/dev/null 2>&1 & echo $! > two
  (trap '' TERM HUP INT; sleep 600; sleep 600) >/dev/null 2>&1 & echo $! > three
  printf '\\033[?1049h\\033[?1000h'; echo ready; sleep 600`;

async function pids(bench: Detached): Promise<number[]> {
  const files = ["one", "two", "three"].map((name) => Bun.file(join(bench.root, name)).text());
  return (await Promise.all(files)).map(Number);
}

describe.each([
  ["by a holder of its own", { HOLT_NO_DAEMON: "1" }],
  ["through the daemon", { HOLT_NO_DAEMON: "" }],
])("started %s", (_, env) => {
  test.each([
    ["stop", ["stop", "--grace", "200ms"]],
    ["kill", ["kill"]],
  ])("those attached are told, survivors are listed, and %s ends them", async (_verb, verb) => {
    for (let round = 0; round < ROUNDS; round++) {
      using bench = new Detached(env);
      const id = await bench.start(LEAVES, ["--cwd", bench.root]);
      const script = `before=$(stty -g); "$HOLT" attach ${id}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo as "it was"`;
      await using user = new TerminalUser(["bash", "-c", script], { env: { ...bench.env, HOLT }, cwd: bench.root });
      await user.sees("ready");
      using watcher = await bench.watch(id);
      await watcher.sees("ready");
      const survivors = await pids(bench);
      const from = user.text.length;
      process.kill(bench.holder(id), "SIGKILL");
      await user.sees("as it was", { from });
      expect(user.text.slice(from)).toContain("code 1");
      expect(user.text.slice(from)).toMatch(new RegExp(`holt: ${id} .*lost`));
      for (const off of ["\x1b[?1049l", "\x1b[?1000l"]) expect(user.text.slice(from)).toContain(off);
      expect(await watcher.over()).toEqual({ type: "lost" });

      const shown = JSON.parse((await bench.run(["show", id, "--json"])).text);
      expect(shown).toMatchObject({ state: "failed", reason: "holder_lost" });
      expect(shown.survivors).toEqual(expect.arrayContaining(survivors.filter(isAlive)));
      expect(survivors.filter(isAlive).length).toBe(3);
      expect((await bench.run(["ls"])).text).toContain(id);
      expect(await bench.run([...verb, id])).toMatchObject({ exitCode: 0, stderr: "" });
      expect(survivors.filter(isAlive)).toEqual([]);
      expect(JSON.parse((await bench.run(["show", id, "--json"])).text).survivors).toEqual([]);
      expect(await bench.run(["rm", id])).toMatchObject({ exitCode: 0, stderr: "" });
      expect(existsSync(join(bench.state, "sessions", id))).toBe(false);
      await end(bench);
      await until("nothing is left", () => bench.holders().length === 0);
    }
  });
});
