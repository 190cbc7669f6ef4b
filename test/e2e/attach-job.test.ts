/**
 * Found by a newcomer: an attach that was started in the background (`&`), or was stopped and continued there, painted the session over the shell's screen and took part in its size,
 * while all that was typed went to the shell. Other programs wait as stopped jobs.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

function shellAt(bench: AttachBench): TerminalUser {
  const env = { ...bench.env, HOLT, PS1: "at the prompt> " };
  return new TerminalUser(["bash", "--norc", "--noprofile", "-i"], { env, cwd: bench.root, ...SIZE });
}

async function clientOf(bench: AttachBench, id: string): Promise<number> {
  const { clients } = JSON.parse((await bench.run(["clients", id, "--json"])).text) as { clients: { pid: number }[] };
  return clients[0]?.pid ?? 0;
}

function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.startsWith("T") === true;
}

// Found by a reviewer: it stopped itself before it had heard what else had come, and nothing but SIGKILL could end it.
test("one that is stopped is ended by its shell", async () => {
  using bench = new AttachBench();
  const id = await bench.start(ECHO);
  await using user = shellAt(bench);
  await user.sees("at the prompt> ");
  user.type(`"$HOLT" attach ${id}\r`);
  await user.sees("ready");
  const pid = await clientOf(bench, id);
  process.kill(pid, "SIGSTOP");
  await user.sees("Stopped");
  process.kill(pid, "SIGCONT");
  await until("it is stopped again", () => isStopped(pid));
  user.type("kill %1\r");
  await until("it is gone", () => !isAlive(pid));
  user.type("exit\r");
  await user.exit();
  await bench.end(id);
});

test("an attach in the background waits as a stopped job, and has the screen once it is in front", async () => {
  using bench = new AttachBench();
  const id = await bench.start(ECHO);
  await using user = shellAt(bench);
  await user.sees("at the prompt> ");
  user.type(`"$HOLT" attach ${id} &\r`);
  await until("it is stopped", () => {
    user.type("jobs\r");
    return /Stopped +.*attach/.test(user.text);
  });
  expect(await bench.clients(id)).toEqual([]);
  user.type("fg\r");
  await user.sees("ready");
  user.type("typed\r");
  await user.sees("got typed");
  user.type(LEAVE);
  await user.sees(`holt: detached from ${id}`);
  user.type("exit\r");
  await user.exit();
  await bench.end(id);
});

test("one that was stopped and continued behind its shell's back waits there, too, and is painted anew in front", async () => {
  using bench = new AttachBench();
  const id = await bench.start(ECHO);
  await using user = shellAt(bench);
  await user.sees("at the prompt> ");
  user.type(`"$HOLT" attach ${id}\r`);
  await user.sees("ready");
  const pid = await clientOf(bench, id);
  process.kill(pid, "SIGSTOP");
  await user.sees("Stopped");
  process.kill(pid, "SIGCONT");
  await until("it was continued, and is stopped again", () => isStopped(pid));
  let from = user.text.length;
  user.type("echo in the $((40+2)) shell\r");
  await user.sees("in the 42 shell", { from });
  await bench.run(["send", id, "--text", "meanwhile\n"]);
  await until("the session has it", () => bench.output(id).includes("got meanwhile"));
  user.type("echo still in the $((40+3)) shell\r");
  await user.sees("in the 43 shell", { from });
  expect(user.text.slice(from)).not.toContain("meanwhile");
  from = user.text.length;
  user.type("fg\r");
  await user.sees("got meanwhile", { from });
  user.type("typed\r");
  await user.sees("got typed", { from });
  user.type(LEAVE);
  await user.sees(`holt: detached from ${id}`);
  user.type("exit\r");
  await user.exit();
  await bench.end(id);
});
