import { describe, expect, test } from "bun:test";
import { AttachBench, ECHO, LEAVE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

describe("those who are attached", () => {
  test("are listed, and can be let go one by one or all at once", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await using one = bench.attach(id);
    await one.sees("ready");
    await using two = bench.attach(id, ["--read-only"]);
    await two.sees("ready");
    expect(await bench.clients(id)).toMatchObject([
      { client_id: "c1", role: "driver" },
      { client_id: "c2", role: "viewer" },
    ]);
    expect(await bench.run(["detach", id, "--client", "c9"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("attached: c1, c2"),
    });
    await bench.run(["detach", id, "--client", "c2"]);
    expect(await two.exit()).toEqual({ exitCode: 0, signal: null });
    expect(two.text).toContain("detached by another client from");
    await bench.run(["detach", id]);
    expect(await one.exit()).toEqual({ exitCode: 0, signal: null });
    await bench.end(id);
  });

  test("are let go by whoever attaches with -d", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await using one = bench.attach(id);
    await one.sees("ready");
    await using two = bench.attach(id, ["-d"]);
    expect(await one.exit()).toEqual({ exitCode: 0, signal: null });
    await two.sees("ready");
    await bench.end(id);
  });

  test("are no more than was allowed", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO, ["--max-clients", "1"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    await using two = bench.attach(id);
    expect(await two.exit()).toMatchObject({ exitCode: 1 });
    expect(two.text).toContain("client limit reached: 1");
    await bench.end(id);
  });

  test("type one at a time where that was asked for, until somebody takes over; who wrote how much is recorded", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO, ["--input", "lease"]);
    await using one = bench.attach(id);
    await one.sees("ready");
    await using two = bench.attach(id);
    await two.sees("ready");
    one.type("first\r");
    await two.sees("got first");
    two.type("not mine\r");
    expect(await bench.run(["send", id, "--text", "nor mine", "--enter"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("client c1 has the keyboard"),
    });
    await using three = bench.attach(id, ["--takeover"]);
    await three.sees("got first");
    three.type("taken\r");
    await two.sees("got taken");
    // Who has it was in --json alone.
    const { text: piped } = await bench.run(["clients", id]);
    expect(piped.split("\n").map((line) => line.split("\t")[7])).toEqual(["", "", "keyboard", undefined]);
    await using shown = new TerminalUser([HOLT, "clients", id], {
      env: { ...bench.env, NO_COLOR: "1" },
      cwd: bench.root,
    });
    await shown.exit();
    expect(shown.text).toMatch(/c3 +driver \(keyboard\)/);
    one.type("lost it\r");
    for (const user of [one, two, three]) {
      user.type(LEAVE);
      await user.exit();
    }
    await bench.run(["send", id, "--text", "free again", "--enter"]);
    await bench.run(["wait", id, "--until", "match=got free again", "--since", "0"]);
    expect(bench.output(id).toString()).not.toMatch(/mine|lost it/);
    const wrote = bench.events(id).filter(({ type }) => type === "input");
    expect(wrote).toMatchObject([
      { client: "c1", bytes: 6 },
      { client: "c3", bytes: 6 },
    ]);
    await bench.end(id);
  });

  test.each([
    ["smallest", "70 10"],
    ["largest", "90 30"],
    ["latest", "70 30"],
    ["fixed", "80 24"],
  ])("have their say in the size by the rule %s", async (rule, expected) => {
    using bench = new AttachBench();
    const [cols, rows] = expected.split(" ");
    const id = await bench.start("echo ready; trap 'stty size' WINCH; while :; do sleep 0.05; done", [
      "--size-rule",
      rule,
    ]);
    await using one = bench.attach(id, [], { cols: 90, rows: 10 });
    await one.sees("ready");
    await using two = bench.attach(id, [], { cols: 70, rows: 30 });
    await two.sees("ready");
    const size = async (): Promise<string> => {
      const { cols: c, rows: r } = JSON.parse((await bench.run(["screen", id, "--json"])).text);
      return `${c} ${r}`;
    };
    let seen = "";
    for (const deadline = performance.now() + 10_000; seen !== `${cols} ${rows}`; seen = await size())
      if (performance.now() > deadline) throw new Error(`the size is ${seen}`);
    await bench.end(id);
  });
});
