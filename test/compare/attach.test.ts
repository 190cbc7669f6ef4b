// One session, two terminals of different sizes: what the smaller shows, the larger shows too, cell by cell; and so does the same
// program that was never attached to, in a bare tmux of that size.
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AttachedPanes, type Size } from "./attached-panes.ts";

const ROUNDS = process.env["HOLT_SOAK"] === "1" ? 5 : 1;
const SMALL: Size = { cols: 80, rows: 24 };
const LARGE: Size = { cols: 110, rows: 32 };
const PAGES = Array.from(
  { length: 300 },
  (_, i) => `${i + 1} \x1b[3${i % 8}mcolour ${i % 8}\x1b[0m ${"~".repeat(i % 150)}`,
);

function compared(title: string, scenario: (panes: AttachedPanes) => Promise<void>): void {
  test(title, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using panes = new AttachedPanes();
      writeFileSync(join(panes.bench.root, "pages.txt"), `${PAGES.join("\n")}\n`);
      await scenario(panes);
    }
  });
}

interface Program {
  name: string;
  argv: string[];
  ready: string | RegExp;
  /** Keys, and what they bring about. */
  steps: [keys: string[], sign: string | RegExp][];
  /** Two runs of it show the same. */
  isRepeatable: boolean;
}

const PROGRAMS: Program[] = [
  {
    name: "vim",
    argv: [
      "vim",
      "-u",
      "NONE",
      "-N",
      "-i",
      "NONE",
      "-c",
      "syntax on|set number hlsearch laststatus=2 ruler",
      "pages.txt",
    ],
    ready: "pages.txt",
    steps: [
      [["G"], /300 300/],
      [["i", "typed here", "Escape"], "typed here"],
      [[":split", "Enter"], /300[^]*300/],
    ],
    isRepeatable: true,
  },
  {
    name: "less",
    argv: ["less", "-R", "-N", "pages.txt"],
    ready: "colour 5",
    steps: [
      [["Space"], / 2[5-9] /],
      [["/", "colour 5", "Enter"], "colour 5"],
      [["G"], "(END)"],
    ],
    isRepeatable: true,
  },
  {
    name: "nano",
    argv: ["nano", "-I", "pages.txt"],
    ready: "pages.txt",
    steps: [
      [["M-/"], "300"],
      [["written"], "written"],
      [["C-w"], "Search"],
    ],
    isRepeatable: true,
  },
  {
    name: "bash",
    argv: ["bash", "--norc", "--noprofile", "-i"],
    ready: "$",
    steps: [
      [["seq 1 50", "Enter"], "50"],
      [["head -5 pages.txt", "Enter"], "colour 4"],
      [["printf '%0.sx' $(seq 200)", "Enter"], /x{60}/],
    ],
    isRepeatable: true,
  },
  {
    name: "fish",
    argv: ["fish", "--no-config", "-i"],
    ready: "#",
    steps: [
      [["seq 1 50", "Enter"], "50"],
      [["head -5 pages.txt", "Enter"], "colour 4"],
    ],
    isRepeatable: false,
  },
  {
    name: "zsh",
    argv: ["zsh", "-f", "-i"],
    ready: "$",
    steps: [
      [["seq 1 50", "Enter"], "50"],
      [["head -5 pages.txt", "Enter"], "colour 4"],
    ],
    isRepeatable: false,
  },
  { name: "htop", argv: ["htop", "-d", "1000"], ready: "PID", steps: [[["F1"], "htop"]], isRepeatable: false },
];

describe("two terminals of different sizes, attached to one session", () => {
  for (const { name, argv, ready, steps, isRepeatable } of PROGRAMS) {
    compared(`see the same cells of ${name}, at the smaller size`, async (panes) => {
      await panes.start(argv, LARGE);
      panes.attach("large", LARGE);
      await panes.shows("large", ready);
      panes.attach("small", SMALL);
      await panes.agree(["small", "large"], SMALL);
      if (isRepeatable) panes.run("bare", SMALL, argv);
      for (const [keys, sign] of steps) {
        for (const key of keys) panes.keys("small", key);
        if (isRepeatable) for (const key of keys) panes.keys("bare", key);
        await panes.shows("small", sign);
        await panes.agree(["small", "large"], SMALL);
      }
      const { size } = JSON.parse((await panes.bench.run(["clients", panes.session, "--json"])).text).clients[1];
      expect(size).toMatchObject(SMALL);
    });
  }
});

describe("whoever attaches again", () => {
  compared("finds the screen as it is, in the middle of an alternate screen", async (panes) => {
    await panes.start(["vim", "-u", "NONE", "-N", "-i", "NONE", "-c", "set number", "pages.txt"], SMALL);
    panes.attach("one", SMALL);
    panes.attach("two", SMALL);
    await panes.shows("one", "colour 5");
    panes.keys("one", "50G");
    await panes.shows("one", " 50 50");
    await panes.agree(["one", "two"], SMALL);
    await panes.detach("two");
    panes.keys("one", "i", "changed meanwhile", "Escape");
    await panes.shows("one", "changed meanwhile");
    panes.close("two");
    panes.attach("two", SMALL);
    await panes.shows("two", "changed meanwhile");
    await panes.agree(["one", "two"], SMALL);
    panes.keys("two", "100G", "i", "and by the other", "Escape");
    await panes.shows("one", "and by the other");
    await panes.agree(["one", "two"], SMALL);
  });

  compared("finds it at the size that it was given meanwhile", async (panes) => {
    await panes.start(["less", "-R", "pages.txt"], SMALL);
    panes.attach("one", SMALL);
    await panes.shows("one", "colour 5");
    await panes.detach("one");
    panes.close("one");
    await panes.bench.run(["resize", panes.session, "60x15"]);
    panes.attach("watching", LARGE, ["--read-only"]);
    await panes.shows("watching", "colour 5");
    panes.run("bare", { cols: 60, rows: 15 }, ["less", "-R", "pages.txt"]);
    await panes.shows("bare", "pages.txt");
    panes.keys("bare", "Space", "b");
    await panes.bench.run(["send", panes.session, "--text", " b"]);
    await panes.agree(["watching", "bare"], { cols: 60, rows: 15 });
  });

  // A session that was started in the background has a size of its own. Whoever attached from a terminal of another one was first painted a screen, and then sent that of
  // the new size alone: the pages before it were nowhere. Whoever had its size saw the last one twice, since their pixels were others.
  const START: Size = { cols: 120, rows: 40 };
  for (const [what, size] of Object.entries({ smaller: SMALL, larger: { cols: 130, rows: 50 }, equal: START }))
    compared(`has what has left the screen above it, once, on a terminal that is ${what} in size`, async (panes) => {
      await panes.start(["sh", "-c", "seq 1 300; echo the end; exec cat"], START);
      await panes.bench.run(["wait", panes.session, "--until", "screen=the end"]);
      panes.attach("one", size);
      await panes.shows("one", "the end");
      const lines = (): string[] => panes.history("one").filter((line) => line !== "");
      const expected = [...Array.from({ length: 300 }, (_, i) => String(i + 1)), "the end"];
      await panes.until(
        () => Bun.deepEquals(lines(), expected),
        () => lines().join(" "),
      );
      await panes.detach("one");
    });

  // Found by looking: on a terminal of another size the session is painted first, on a screen of its own. tmux remembers where the cursor stood before that, and goes back there whenever somebody
  // leaves such a screen, though there be none: the notice, and the shell's next prompt, were written over the top of what was there.
  for (const [what, size] of Object.entries({ smaller: SMALL, larger: { cols: 130, rows: 50 }, equal: START }))
    compared(`goes on below what is there once it was left, on a terminal that is ${what} in size`, async (panes) => {
      await panes.start(["sh", "-c", "seq 1 5; exec cat"], START);
      panes.attach("one", size);
      await panes.shows("one", "5");
      panes.keys("one", "typed", "Enter");
      await panes.shows("one", /typed\ntyped/);
      await panes.detach("one");
      const lines = panes.history("one").filter((line) => line !== "");
      const notice = `holt: detached from ${panes.session}`;
      expect(lines.slice(0, 8)).toEqual(["1", "2", "3", "4", "5", "typed", "typed", notice]);
    });

  // Found by a newcomer: who watched a build from a terminal that was not of its size was left with "exited 4". What it had printed was on a screen that was taken away.
  for (const [what, size] of Object.entries({ smaller: SMALL, larger: { cols: 130, rows: 50 }, equal: START }))
    compared(
      `keeps what was printed last when it ends, watched on a terminal that is ${what} in size`,
      async (panes) => {
        await panes.start(["sh", "-c", "seq 1 5; read line; printf '\\033[31mERROR\\033[m: line 3\\n'; exit 4"], START);
        panes.attach("one", size, ["--read-only"]);
        await panes.shows("one", "5");
        await panes.bench.run(["send", panes.session, "--text", "go\n"]);
        await panes.shows("one", "exited 4");
        const lines = panes.history("one").filter((line) => line !== "");
        const notice = `holt: ${panes.session} exited 4`;
        expect(lines.slice(0, 8)).toEqual(["1", "2", "3", "4", "5", "go", "ERROR: line 3", notice]);
      },
    );

  // Found by a newcomer: it was told on the last row that what they typed did not count, the session printed into that row, and both were to be read there. Each time the whole
  // screen came once more, and what it replaced went into the scrollback.
  compared(
    "has nothing of the notice that it only watches in what is printed, nor a line twice above it",
    async (panes) => {
      await panes.start(["sh", "-c", "seq 1 100; exec cat"], SMALL);
      panes.attach("one", SMALL, ["--read-only"]);
      panes.attach("two", SMALL);
      await panes.shows("one", "100");
      for (const word of ["first", "second", "third"]) {
        panes.keys("one", "x");
        await panes.shows("one", "read-only:");
        panes.keys("two", word, "Enter");
        await panes.shows("two", new RegExp(`${word}\n${word}`));
        await panes.agree(["one", "two"], SMALL);
      }
      panes.keys("one", "x");
      await panes.shows("one", "read-only:");
      await panes.agree(["one", "two"], SMALL); // once it is gone by itself
      const lines = panes.history("one").filter((line) => line !== "");
      expect(lines.filter((line) => line.includes("read-only"))).toEqual([]);
      expect(lines.filter((line) => line === "90")).toHaveLength(1);
    },
  );

  compared("sees the same of a transcript of many megabytes", async (panes) => {
    const script = join(panes.bench.root, "flood");
    const megabytes = process.env["HOLT_SOAK"] === "1" ? 100 : 8;
    writeFileSync(
      script,
      `#!/bin/sh\nyes "$(printf 'a line of \\033[32mcolour\\033[0m and some more text to fill it up')" | head -c ${megabytes}000000\nprintf '\\033[0m\\r\\nthe end\\n'\nexec bash --norc --noprofile -i\n`,
    );
    chmodSync(script, 0o755);
    await panes.start([script], SMALL);
    panes.attach("one", SMALL);
    await panes.shows("one", "the end");
    panes.attach("two", LARGE);
    await panes.shows("two", "the end");
    await panes.agree(["one", "two"], SMALL);
    panes.run("bare", SMALL, ["sh", "-c", script]);
    await panes.shows("bare", "the end");
    await panes.agree(["one", "bare"], SMALL);
  });
});
