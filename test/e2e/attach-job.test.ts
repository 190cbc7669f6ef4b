/**
 * Found by a newcomer: an attach that was started in the background (`&`), or was stopped and continued there, painted the session over the shell's screen and took part in its size,
 * while all that was typed went to the shell. Other programs wait as stopped jobs.
 */
import { expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

function shellAt(bench: AttachBench): TerminalUser {
  const env = { ...bench.env, HOLT, PS1: "at the prompt> " };
  return new TerminalUser(["bash", "--norc", "--noprofile", "-i"], { env, cwd: bench.root, ...SIZE });
}

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
  const { clients } = JSON.parse((await bench.run(["clients", id, "--json"])).text) as { clients: { pid: number }[] };
  const pid = clients[0]?.pid ?? 0;
  process.kill(pid, "SIGSTOP");
  await user.sees("Stopped");
  process.kill(pid, "SIGCONT");
  let from = user.text.length;
  user.type("echo in the $((40+2)) shell\r");
  await user.sees("in the 42 shell", { from });
  await bench.run(["send", id, "--text", "meanwhile\n"]);
  await until("the session has it", () => bench.output(id).includes("got meanwhile"));
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
