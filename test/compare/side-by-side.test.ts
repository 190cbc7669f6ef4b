import { describe, expect, test } from "bun:test";
import { PROMPT, SideBySide } from "./side-by-side.ts";

describe("the comparison itself", () => {
  test.each([
    ["a colour", "\\033[31m", /"\\u001b\[31m/],
    ["an attribute of one cell", "\\0337\\033[1;1H\\033[4mx\\0338", /\[4m/],
    ["a blank with a background", "\\0337\\033[9;90H\\033[44m \\0338", /\[44m/],
    ["the cursor", "\\033[C", /cursor/],
    ["a hidden cursor", "\\033[?25l", /cursor shown/],
    ["the alternate screen", "\\033[?1049h", /alternate/],
    ["the title", "\\033]2;other\\033\\\\", /title/],
    ["the mouse", "\\033[?1000h", /mouse any/],
    ["the cursor keys", "\\033[?1h", /cursor keys/],
    ["a line that has scrolled away", "\\033[H\\033[41mgone\\033[0m\\033[99H\\n", /gone/],
  ])("finds a difference in %s", async (_, sabotage, found) => {
    await using pair = new SideBySide({ bare: `"$@"`, holt: `"$@"; printf '${sabotage}'` });
    await pair.agree(PROMPT);
    pair.send(["-l", "via echo yes\n"]);
    const deadline = performance.now() + 10_000;
    while (!found.test(pair.differences().join("\n"))) {
      if (performance.now() > deadline) expect(pair.differences().join("\n")).toMatch(found);
      await Bun.sleep(10);
    }
  });
});
