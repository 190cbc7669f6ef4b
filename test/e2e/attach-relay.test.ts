/**
 * Keys that go to the command and echoes that come back without a turn of the holder's loop (holder/relay.ts): every one once, in order, on disk, accounted for,
 * and only while the one who types may. The same where there is no native code, and all of it goes through the loop.
 */
import { describe, expect, test } from "bun:test";
import { encodeInput } from "../../src/protocol/attach.ts";
import { encodeFrame } from "../../src/protocol/frames.ts";
import { until } from "../chaos/size.ts";
import { AttachBench } from "../support/attach-bench.ts";
import { isRelaying, Lender } from "../support/lender.ts";
import { isRelayed, KEYS, READY, typingWith, WAYS } from "./relayed.ts";

describe.each(WAYS)("%s,", (_, extra) => {
  const isNative = isRelayed(extra);
  const typing = typingWith(extra);

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
});
