/**
 * Keys that go to the command and echoes that come back without a turn of the holder's loop (holder/relay.ts): every one once, in order, on disk, accounted for,
 * and only while the one who types may. The same where there is no native code, and all of it goes through the loop.
 */
import { describe, expect, test } from "bun:test";
import { encodeInput } from "../../src/protocol/attach.ts";
import { encodeFrame } from "../../src/protocol/frames.ts";
import { until } from "../chaos/size.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";
import { isRelaying, Lender } from "../support/lender.ts";

const KEYS = "abcdefghijklmnopqrstuvwxyz0123456789";
const READY = "ready\r\n";
/** The terminal echoes, and nothing else is printed. */
const QUIET = "stty -icanon; echo ready; exec cat > /dev/null";
const HAS_RELAY = process.platform === "linux" && process.arch === "x64";

interface Typed {
  bench: AttachBench;
  id: string;
  holder: number;
  path: string;
  lender: Lender;
  /** Until the next key needs no turn of the loop, where that can be. */
  relays: () => Promise<void>;
}

describe.each([
  ["with a relay", {}],
  ["without native code", { HOLT_NO_NATIVE: "1" }],
])("%s,", (_, extra: Record<string, string>) => {
  const isNative = HAS_RELAY && extra["HOLT_NO_NATIVE"] === undefined;

  /** One who has typed a key already. */
  async function typing(
    work: (typed: Typed) => Promise<void>,
    { script = QUIET, options = [] as string[] } = {},
  ): Promise<void> {
    using bench = new AttachBench(extra);
    const id = await bench.start(script, options);
    await until("it is ready", () => bench.output(id).includes("ready"));
    const { socket, holder } = bench.meta(id);
    using lender = await Lender.attach(socket ?? "");
    const relays = async (): Promise<void> => {
      if (isNative) await until("a relay stands by", () => isRelaying(holder.pid));
    };
    await lender.echoes("^");
    await relays();
    await work({ bench, id, holder: holder.pid, path: socket ?? "", lender, relays });
    await bench.end(id);
  }

  test("every key is typed once, its echo is on disk and seen once, by everybody, and who typed how much is recorded", async () => {
    await typing(async ({ bench, id, lender, relays, path }) => {
      using other = await Lender.attach(path, { role: "viewer" });
      for (const key of KEYS) {
        await lender.echoes(key);
        await relays();
      }
      expect(bench.output(id).toString()).toBe(`${READY}^${KEYS}`);
      expect(`${lender.lent}${lender.output}`.split("").toSorted()).toEqual(`^${KEYS}`.split("").toSorted());
      await until("the other one sees it", () => other.output === KEYS);
      expect(await lender.isBack()).toMatchObject({ next: READY.length + 1 + KEYS.length });
      lender[Symbol.dispose]();
      await until("it is gone", () => bench.events(id).some(({ type }) => type === "detach"));
      expect(bench.events(id).filter(({ type }) => type === "input")).toMatchObject([
        { client: "c1", bytes: 1 + KEYS.length },
      ]);
      const { text } = await bench.run(["logs", id]);
      expect(text).toContain(`^${KEYS}`);
    });
  });

  test("a frame may come in two parts, cut anywhere", async () => {
    await typing(async ({ bench, id, lender, relays }) => {
      const length = lender.frame("x").length;
      await lender.client.say(lender.frame("x")); // both are one, for the count
      await until("it is echoed", () => lender.lent.length + lender.output.length === 2);
      for (let cut = 1; cut < length; cut++) {
        await relays();
        const frame = lender.frame("y");
        await lender.client.say(frame.slice(0, cut));
        if (isNative) await until("the part is received", () => !isRelaying(bench.meta(id).holder.pid));
        const before = lender.lent.length + lender.output.length;
        await lender.client.say(frame.slice(cut));
        await until("it is echoed", () => lender.lent.length + lender.output.length === before + 1);
      }
      expect(bench.output(id).toString()).toBe(`${READY}^x${"y".repeat(length - 1)}`);
    });
  });

  test("several at once, long ones, other frames and nonsense are taken in their order", async () => {
    await typing(async ({ bench, id, lender, relays }) => {
      const batches: Uint8Array[][] = [
        [lender.frame("1"), lender.frame("2"), lender.frame("3")],
        [lender.frame("4".repeat(17))],
        [encodeInput(Buffer.from("5"))],
        [lender.frame("6"), encodeInput(Buffer.from("7")), lender.frame("8")],
        [encodeFrame(99, Buffer.from("{}")), lender.frame("9")],
        [lender.frame("0".repeat(16))],
      ];
      for (const batch of batches) {
        await relays();
        await lender.client.say(Buffer.concat(batch));
      }
      const expected = `${READY}^123${"4".repeat(17)}56789${"0".repeat(16)}`;
      await until("all of it was typed", () => bench.output(id).length >= expected.length);
      expect(bench.output(id).toString()).toBe(expected);
      await until("what was nonsense is refused", () => lender.errors().length > 0);
      expect(lender.errors()).toEqual(["EBADARGS"]);
      await until(
        "all of it is seen",
        () => lender.lent.length + lender.output.length === expected.length - READY.length,
      );
    });
  });

  test("a paste of a megabyte for a program that does not read yet arrives whole, and then keys do", async () => {
    const script =
      "stty raw -echo; echo ready; printf '^' ; until [ -e go ]; do sleep 0.01; done; head -c 1048578 | md5sum; exec cat";
    using bench = new AttachBench(extra);
    const id = await bench.start(script);
    await until("it is ready", () => bench.output(id).includes("^"));
    using lender = await Lender.attach(bench.meta(id).socket ?? "");
    const paste = Buffer.alloc(1024 * 1024, "0123456789abcdef\n");
    const said = [lender.frame("k")];
    for (let at = 0; at < paste.length; at += 1024) said.push(lender.frame(paste.subarray(at, at + 1024)));
    const saying = lender.client.say(...said, lender.frame("l"));
    await until("it waits", () => bench.output(id).includes("^"));
    await Bun.write(`${bench.root}/go`, "");
    await saying;
    const digest = new Bun.CryptoHasher("md5").update("k").update(paste).update("l").digest("hex");
    await until("it has read all of it", () => bench.output(id).includes("-"));
    expect(bench.output(id).toString()).toContain(digest);
    for (const key of KEYS) await lender.echoes(key);
    expect(bench.output(id).toString()).toEndWith(KEYS);
    await bench.end(id);
  });

  test("whoever takes the keyboard has it from then on", async () => {
    await typing(
      async ({ bench, id, lender }) => {
        expect(await bench.run(["send", id, "--text", "mine", "--takeover"])).toMatchObject({ exitCode: 0 });
        // Whoever is no client leaves at once, and the keyboard is free: so somebody who stays.
        using other = await Lender.attach(bench.meta(id).socket ?? "", { takeover: true });
        await lender.type("x");
        await until("it is refused", () => lender.errors().length > 0);
        await other.echoes("theirs");
        expect(lender.errors()).toEqual(["EBUSY"]);
        expect(bench.output(id).toString()).toBe(`${READY}^minetheirs`);
      },
      { options: ["--input", "lease"] },
    );
  });

  test("what the terminal must not be sent is left out, what asks is answered, and what is coloured is not", async () => {
    const script =
      "stty raw -echo; printf 'ready\\r\\n'; while IFS= read -r -n1 key; do case $key in q) printf 'q\\033[c'; IFS= read -r -d c answer; printf '%s' ${#answer};; r) printf '\\033[31mr\\033[0m';; o) printf '\\033]52;c;eA==\\007o';; *) printf %s $key;; esac; done";
    await typing(
      async ({ bench, id, lender, relays }) => {
        const seen = (): string => lender.lent + lender.output;
        for (const [key, raw, expected] of [
          ["r", "\x1b[31mr\x1b[0m", "\x1b[31mr\x1b[0m"],
          ["q", "q\x1b[c", "q"],
          ["o", "\x1b]52;c;eA==\x07o", "o"],
          ["z", "z", "z"],
        ] as const) {
          const [before, from] = [seen().length, bench.output(id).length];
          await relays();
          await lender.type(key);
          await until(`${key} is answered`, () => bench.output(id).subarray(from).includes(raw));
          await until(`${key} is seen`, () => seen().length >= before + expected.length);
        }
        await until("the answer was read", () => /q\x1b\[c\d+/.test(bench.output(id).toString()));
        expect(seen()).not.toContain("\x1b[c");
        expect(seen()).not.toContain("]52");
        expect(seen()).toContain("\x1b[31mr\x1b[0m");
      },
      { script },
    );
  });

  test("what a terminal does not take comes as OUTPUT", async () => {
    const script = "stty raw -echo; printf 'ready\\r\\n'; while IFS= read -r -n1 key; do printf %01500d 0; done";
    await typing(
      async ({ bench, id, lender, relays }) => {
        const pressed = 40;
        for (let i = 0; i < pressed; i++) {
          const before = bench.output(id).length;
          await relays();
          await lender.type("k");
          await until("it is printed", () => bench.output(id).length >= before + 1500);
        }
        await until("all of it is seen", () => lender.lent.length + lender.output.length === 1500 * (pressed + 1));
      },
      { script },
    );
  });

  test("past what may be kept, keys and echoes go on", async () => {
    const most = READY.length + 10;
    await typing(
      async ({ bench, id, lender }) => {
        for (const key of KEYS) await lender.echoes(key);
        expect(bench.output(id).toString()).toBe(`${READY}^${KEYS}`.slice(0, most));
        expect(`${lender.lent}${lender.output}`.split("").toSorted()).toEqual(`^${KEYS}`.split("").toSorted());
        expect(bench.events(id).filter(({ type }) => type === "gap").length).toBe(1);
      },
      { options: ["--max-output-bytes", String(most)] },
    );
  });

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
