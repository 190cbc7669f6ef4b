/**
 * Found by a breaker: `holt exec s --help` printed the help of the shell's own `eval`, and `holt exec s $'rm a\xff'` removed another file than the one
 * that was meant, with U+FFFD for the byte that is no UTF-8. A command is what it is, as if it had been typed.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { bytesOf, joined } from "../../src/protocol/types/bytes.ts";
import { BARE, LiveShell, SHELLS, textOf } from "./shells.ts";

describe.each(SHELLS)("in %s", (shell) => {
  test("a command that begins like an option is a command that is not there", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    for (const command of ["--help", "-x", "--", "-- echo no"]) {
      const result = await live.exec(command);
      expect({ command, exit: result.exit_code }).toEqual({ command, exit: 127 });
      expect(textOf(result)).toMatch(/command not found|Unknown command/);
      expect(live.commands().at(-1)).toMatchObject({ command, exit_code: 127 });
    }
    const { text, stderr, exitCode } = await live.bench.run(["exec", "s", "--", "--help"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 127 });
    expect(text).toContain("--help");
    expect(await live.text("echo fine")).toBe("fine\n");
  });

  test("bytes that are no UTF-8 arrive as they are, in a line and in words", async () => {
    await using live = await LiveShell.start(BARE[shell]);
    await live.exec(`cd ${live.bench.root}; mkdir d; cd d`);
    const entries = (): Buffer[] => readdirSync(`${live.bench.root}/d`, "buffer");
    await live.exec(joined([bytesOf("touch a"), Uint8Array.of(0xff)]));
    expect(entries()).toEqual([Buffer.from("a\xff", "latin1")]);
    expect((await live.bench.shell(String.raw`"$HOLT" exec s $'touch b\xe9.txt'`)).exitCode).toBe(0);
    expect((await live.bench.shell(String.raw`"$HOLT" exec s -- touch $'c \xfe\'' $'\xc3\xa4'`)).exitCode).toBe(0);
    const names = entries().map((name) => name.toString("latin1"));
    expect(names.toSorted()).toEqual(["a\xff", "b\xe9.txt", "c \xfe'", "\xc3\xa4"].toSorted());
    expect((await live.bench.shell(String.raw`"$HOLT" exec s $'rm a\xff'`)).exitCode).toBe(0);
    expect(entries()).toHaveLength(3);
  });
});
