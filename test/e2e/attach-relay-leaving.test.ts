/** Keys through a relay (holder/relay.ts) and those who come and go: who leaves, is let go, or sees the command end, and a person between all of it. */
import { describe, expect, test } from "bun:test";
import { until } from "../chaos/size.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";
import { isRelaying, Lender } from "../support/lender.ts";
import { isRelayed, KEYS, QUIET, READY, typingWith, WAYS } from "./relayed.ts";

describe.each(WAYS)("%s,", (_, extra) => {
  const isNative = isRelayed(extra);
  const typing = typingWith(extra);

  test("one who hangs up, or is let go, is gone at once, and the next types", async () => {
    await typing(async ({ bench, id, lender, path, relays }) => {
      lender.client[Symbol.dispose]();
      await bench.attached(id, 0);
      using next = await Lender.attach(path);
      await next.echoes("n");
      await relays();
      await bench.run(["detach", id]);
      await next.client.isHungUpOn();
      using last = await Lender.attach(path);
      await last.echoes("l");
      expect(bench.output(id).toString()).toBe(`${READY}^nl`);
    });
  });

  test("one who is hung up on for nonsense types nothing more", async () => {
    await typing(async ({ bench, id, lender }) => {
      const nonsense = Uint8Array.of(0, 0, 0, 0, 0);
      await lender.client.say(nonsense, lender.frame("x"), lender.frame("y"));
      await lender.client.isHungUpOn();
      await bench.attached(id, 0);
      expect(bench.output(id).toString()).toBe(`${READY}^`);
    });
  });

  test("a command that ends with a key is told of, with all that it printed", async () => {
    const script =
      "stty raw -echo; printf 'ready\\r\\n'; IFS= read -r -n1 key; printf %s $key; IFS= read -r -n1 key; printf bye; exit 3";
    using bench = new AttachBench(extra);
    const id = await bench.start(script);
    await until("it is ready", () => bench.output(id).includes("ready"));
    using lender = await Lender.attach(bench.meta(id).socket ?? "");
    await lender.echoes("^");
    await lender.type("x");
    await lender.client.isHungUpOn();
    expect(lender.lent + lender.output).toContain("bye");
    await until("it is final", () => bench.events(id).some(({ to }) => to === "exited"));
    expect(bench.final(id)).toMatchObject({ exit_code: 3, output_complete: true, output_bytes: READY.length + 4 });
  });

  /** The keys, and what the program prints of itself meanwhile, come by different ways: on the person's terminal there is one order. */
  test("a person sees exactly what is in the transcript, while the program prints of its own", async () => {
    const script =
      "stty raw -echo; printf 'ready\\r\\n'; (i=0; until [ -e stop ]; do i=$((i + 1)); printf '<%d>' $i; sleep 0.00$((i % 7 + 1)); done; printf over) & exec cat";
    using bench = new AttachBench(extra);
    const id = await bench.start(script);
    await using user = bench.attach(id, ["--replay", "none"]);
    await bench.attached(id, 1);
    await user.sees("<");
    for (let i = 0; i < 200; i++) {
      user.type(KEYS[i % KEYS.length] ?? "");
      if (i % 3 === 0) await Bun.sleep(1 + (i % 5));
    }
    user.type("END");
    await user.sees(/E(<\d+>)*N(<\d+>)*D/);
    await Bun.write(`${bench.root}/stop`, "");
    await until("it has stopped", () => bench.output(id).includes("over"));
    await user.sees("over");
    const from = user.text.indexOf("<");
    expect(bench.output(id).toString()).toEndWith(user.text.slice(from));
    expect(user.text.slice(from).replace(/<\d+>|over/g, "")).toEndWith(
      `${Array.from({ length: 200 }, (_unused, i) => KEYS[i % KEYS.length]).join("")}END`,
    );
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    await bench.end(id);
  });

  test("the keys to leave with are seen, in one part or two, between keys that need no look", async () => {
    using bench = new AttachBench(extra);
    const id = await bench.start(QUIET);
    for (const parts of [[LEAVE], LEAVE.split("")]) {
      await using user = bench.attach(id);
      await user.sees("ready");
      for (const key of "abc") {
        user.type(key);
        await user.sees(key);
      }
      for (const part of parts) {
        user.type(part);
        await Bun.sleep(5);
      }
      expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    }
    expect(bench.output(id).toString()).toBe(`${READY}abcabc`);
    await bench.end(id);
  });

  test("what was typed at a shell's prompt is known to whoever wants to run a command there", async () => {
    using bench = new AttachBench(extra);
    const { text } = await bench.run(["start", "--size", "80x24", "--", "bash", "--norc"]);
    const id = text.trim();
    await bench.run(["wait", id, "--until", "prompt"]);
    using lender = await Lender.attach(bench.meta(id).socket ?? "");
    for (const key of "ab") {
      await lender.echoes(key);
      if (isNative) await until("a relay stands by", () => isRelaying(bench.meta(id).holder.pid));
    }
    await lender.echoes("c");
    const refused = await bench.run(["exec", id, "echo no"]);
    expect({ code: refused.exitCode, said: refused.stderr }).toMatchObject({ said: expect.stringContaining("typ") });
    expect(bench.output(id).toString()).toEndWith("abc");
    await bench.end(id);
  });
});
