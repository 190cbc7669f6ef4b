/** Memory of `holt logs` with a large transcript. */
import { expect, test } from "bun:test";
import { HOLT } from "../support/holt.ts";
import { CommandLine } from "./command-line.ts";
import { hollow } from "./hollow.ts";

async function print(line: CommandLine, args: string[]): Promise<{ bytes: number; megabytes: number }> {
  const proc = Bun.spawn([HOLT, "logs", ...args], { env: line.env, stdout: "pipe", stderr: "inherit" });
  let bytes = 0;
  for await (const chunk of proc.stdout) bytes += chunk.length;
  expect(await proc.exited).toBe(0);
  return { bytes, megabytes: (proc.resourceUsage()?.maxRSS ?? 0) / 1024 ** 2 };
}

test("A gibibyte takes as much memory as a mebibyte, apart from garbage.", async () => {
  using line = new CommandLine();
  hollow(line, "small", 1024 ** 2);
  hollow(line, "large", 1024 ** 3);
  for (const view of [["--raw"], ["--raw", "-f"]]) {
    const small = await print(line, [...view, "small"]);
    const large = await print(line, [...view, "large"]);
    expect([small.bytes, large.bytes]).toEqual([1024 ** 2, 1024 ** 3]);
    expect(large.megabytes - small.megabytes).toBeLessThan(96);
  }
});

test("A reader that stops reading blocks it instead of filling its memory.", async () => {
  using line = new CommandLine();
  hollow(line, "large", 1024 ** 3);
  const { text, stderr } = await line.shell(
    '"$HOLT" logs --raw large | { head -c 1 | wc -c; }; echo "${PIPESTATUS[0]}"',
  );
  expect({ text: text.replaceAll(" ", ""), stderr }).toEqual({ text: "1\n141\n", stderr: "" });
});
