/** Processes that make new ones all the time, so that no list of them is ever right: to end the session ends them all. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { Detached } from "./detached.ts";
import { size, until } from "./size.ts";

/** At any moment: each makes another one and ends. */
const PROCESSES = size(60, 300);

/** Below a limit of its own counting: a shell has no other that root obeys. */
const BOMB = `
import os, random, signal, time
def hop():
    random.seed()
    for signal_number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(signal_number, signal.SIG_IGN)
    while True:
        if os.fork() > 0:
            os._exit(0)
        if HOW == "setsid":
            os.setsid()
        time.sleep(random.uniform(0, 1))
for _ in range(COUNT):
    if os.fork() == 0:
        hop()
print("exploded", flush=True)
time.sleep(3600)
`;

function countOf(id: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        readFileSync(`/proc/${name}/environ`, "latin1").includes(`HOLT_SESSION_ID=${id}\0`) &&
        !/^State:\s+Z/m.test(readFileSync(`/proc/${name}/status`, "latin1"))
      );
    } catch {
      return false; // it has ended
    }
  }).length;
}

test.each([
  ["in one process group", "group", "kill"],
  ["each in a session of its own", "setsid", "kill"],
  ["that ignores every signal it may", "setsid", "stop"],
])(`a bomb of ${PROCESSES} processes %s ends by it`, async (_, how, verb) => {
  for (const options of [["--no-pty"], []]) {
    using bench = new Detached();
    const bomb = BOMB.replace("HOW", JSON.stringify(how)).replace("COUNT", String(PROCESSES));
    await Bun.write(`${bench.root}/bomb.py`, bomb);
    const id = await bench.start("exec python3 bomb.py", ["--cwd", bench.root, ...options]);
    await until("it has exploded", () => bench.output(id).includes("exploded"));
    const args = verb === "stop" ? ["stop", "--grace", "1s", id] : ["kill", id];
    expect(await bench.run(args)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(countOf(id)).toBe(0);
    expect(bench.final(id)).toMatchObject({ state: "signaled", reason: `${verb}_requested` });
    await until("its holder is gone", () => bench.holders().length === 0);
  }
});
