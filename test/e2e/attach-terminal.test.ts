/** What `holt attach` does to the terminal that it is lent, and on which it does not attach at all. */
import { describe, expect, test } from "bun:test";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const RESETS = /\x1b\](?:104|11[0-2])(?=[;\x07\x1b])/g;

/** The colours that are reset in the whole of an attach: as it begins, as the screen is drawn anew, and as it is left. */
async function resetsOf(script: string): Promise<string[]> {
  using bench = new AttachBench();
  const id = await bench.start(`read -r line; ${script} ${ECHO}`);
  await using user = bench.attach(id);
  await bench.attached(id, 1);
  user.type("begin\r");
  await user.sees("ready");
  user.resize(70, 20);
  user.type("smaller\r");
  await user.sees("got smaller");
  user.resize(SIZE.cols, SIZE.rows);
  user.type("as before\r");
  await user.sees("got as before");
  user.type(LEAVE);
  await user.sees("detached from");
  await user.exit();
  await bench.end(id);
  return [...new Set(user.text.match(RESETS))];
}

// A person whose shell had given their terminal a background of its own lost it by attaching: all colours were reset, by whomever they were set.
describe("colours of the terminal", () => {
  test("that the session leaves alone are left alone", async () => expect(await resetsOf("")).toEqual([]));

  test("that the session has set are reset, and no others", async () =>
    expect(await resetsOf("printf '\\033]11;#102030\\033\\\\';")).toEqual(["\x1b]111"]));

  test("are not reset when the session has done so itself", async () =>
    expect(await resetsOf("printf '\\033]4;1;#ff0000\\007\\033]104\\007';")).toEqual(["\x1b]104"]));
});

// In an editor's shell (TERM=dumb) or under cron, an attach poured escape sequences into something that shows none of them.
describe.each([
  ["dumb", ["env", "NO_COLOR=1", "TERM=dumb"]],
  ["not set", ["env", "-u", "TERM", "NO_COLOR=1"]],
])("with TERM %s", (term, words) => {
  test("attach says what to do instead", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await using user = new TerminalUser([...words, HOLT, "attach", id], { env: bench.env, cwd: bench.root, ...SIZE });
    expect((await user.exit()).exitCode).toBe(2);
    expect(user.text).toContain(`holt: attach needs a terminal with a screen: TERM is ${term}\r\n`);
    expect(user.text).toContain("`holt logs -f`");
    expect(await bench.clients(id)).toEqual([]);
    await bench.end(id);
  });

  test("start --attach starts nothing", async () => {
    using bench = new AttachBench();
    const command = [...words, HOLT, "start", "--attach", "--", "cat"];
    await using user = new TerminalUser(command, { env: bench.env, cwd: bench.root, ...SIZE });
    expect((await user.exit()).exitCode).toBe(2);
    expect(bench.started()).toEqual([]);
  });
});
