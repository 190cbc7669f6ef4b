import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { AttachBench, LEAVE } from "../support/attach-bench.ts";

describe("a session's terminal", () => {
  /** Prints questions, keeps what comes as answers, and then reads on. */
  const asking = (questions: string) =>
    `stty raw -echo; printf '${questions}'; dd bs=1 count=1 of=first 2>/dev/null; cat > answers`;

  test("answers what it is asked, once, whether or not somebody is attached; a replay asks nothing", async () => {
    using bench = new AttachBench();
    const questions = String.raw`\033[c\033[>c\033[5n\033[6n\033[?2004$p\033P$qm\033\\\033[>q\033]11;?\007\033[18t\033[?u`;
    const id = (
      await bench.run(["start", "--size", "80x24", "--cwd", bench.root, "--", "bash", "-c", asking(questions)])
    ).text.trim();
    const answered = (): string =>
      existsSync(join(bench.root, "answers"))
        ? readFileSync(join(bench.root, "first")).toString() + readFileSync(join(bench.root, "answers")).toString()
        : "";
    await until("the last question is answered", () => answered().endsWith("\x1b[?0u"));
    const before = answered();
    expect(before.match(/\x1b\[\?6[0-9;]*c/g)).toHaveLength(1);
    expect(before).toContain("\x1b[1;1R");
    expect(before).toContain("\x1b]11;rgb:");
    expect(before).toContain("\x1b[8;24;80t");
    for (const [replay, keys] of [
      ["screen", "x"],
      ["raw", "xx"],
    ] as const) {
      await using user = bench.attach(id, ["--replay", replay]);
      await bench.attached(id, 1);
      user.type("x");
      await until("the key arrived", () => answered() === `${before}${keys}`);
      expect(user.text).not.toMatch(/\x1b\[c|\x1b\[6n|\x1b\]11;\?/);
      user.type(LEAVE);
      await user.exit();
    }
    expect(answered()).toBe(`${before}xx`);
    await bench.end(id);
  });

  test("takes keys by name as the program wants them, and pastes in brackets where it asked for that", async () => {
    using bench = new AttachBench();
    writeFileSync(join(bench.root, "clip"), "two\nlines");
    const script =
      "stty raw -echo; printf '\\033[?1h\\033[?2004hready'; dd bs=1 count=26 of=keys 2>/dev/null; printf done";
    const id = (await bench.run(["start", "--cwd", bench.root, "--", "bash", "-c", script])).text.trim();
    await bench.run(["wait", id, "--until", "match=ready", "--since", "0"]);
    await bench.run(["send", id, "--keys", "up,ctrl-c,enter"]);
    await bench.run(["send", id, "--paste", join(bench.root, "clip")]);
    await bench.run(["wait", id, "--until", "match=done", "--since", "0"]);
    expect(readFileSync(join(bench.root, "keys")).toString()).toBe(
      "\x1bOA\x03\r\x1b[200~two\rlines\x1b[201~".slice(0, 26),
    );
    expect(await bench.run(["send", id, "--keys", "upp"])).toMatchObject({ exitCode: expect.any(Number) });
  });

  test("holds a paste of a megabyte for a program that sleeps, and loses none of it", async () => {
    using bench = new AttachBench();
    const script = `stty raw -echo; echo ready; until [ -e go ]; do sleep 0.05; done; head -c 1000000 | cksum; echo over; read -r`;
    const id = (
      await bench.run(["start", "--size", "80x24", "--cwd", bench.root, "--", "bash", "-c", script])
    ).text.trim();
    await using user = bench.attach(id);
    await user.sees("ready");
    const paste = new Uint8Array(1_000_000).map((_, at) => 97 + (at % 23));
    for (let at = 0; at < paste.length; at += 50_000) user.type(paste.subarray(at, at + 50_000));
    // Nobody is held up by it.
    await using other = bench.attach(id, ["--read-only"]);
    await other.sees("ready");
    writeFileSync(join(bench.root, "go"), "");
    await other.sees("over");
    const { stdout } = Bun.spawnSync(["cksum"], { stdin: paste });
    expect(bench.output(id).toString()).toContain(stdout.toString().trim());
    await bench.end(id);
  });

  test("is seen as it was at any earlier cursor, of a session that lives and of one that has ended", async () => {
    using bench = new AttachBench();
    const id = await bench.start(
      "printf 'first\\n'; read -r x; printf '\\033[2J\\033[Hsecond\\n'; read -r x; printf '\\033[?1049hthird'; sleep 0.1",
    );
    await bench.run(["wait", id, "--until", "match=first", "--since", "0"]);
    const at = bench.output(id).length;
    await bench.run(["send", id, "--keys", "enter"]);
    await bench.run(["wait", id, "--until", "screen=second"]);
    expect((await bench.run(["screen", id])).text).toStartWith("second\n");
    expect((await bench.run(["screen", id, "--at", String(at)])).text).toStartWith("first\n");
    await bench.run(["send", id, "--keys", "enter"]);
    await bench.run(["wait", id]);
    expect((await bench.run(["screen", id])).text).toContain("third");
    expect((await bench.run(["screen", id, "--at", String(at)])).text).toStartWith("first\n");
    for (const format of ["ansi", "html", "svg"])
      expect((await bench.run(["screen", id, "--format", format])).text).toContain("third");
  });
});
