/** A shell on terminals that nobody has: every byte that it prints is the same through holt. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { Bench, HOLT } from "../support/holt.ts";
import { testCard } from "./test-card.ts";

const DIALOGUE = new URL("../fixtures/dialogue.exp", import.meta.url).pathname;
const ROUNDS = process.env["HOLT_SOAK"] === "1" ? 20 : 1;
const SIZED = "rows 24 columns 80";

interface Terminal {
  term?: string;
  stty?: string;
  bash?: readonly string[];
}

/** What a shell printed on that terminal while the lines were typed, byte by byte. */
async function printed(
  bench: Bench,
  prefix: string[],
  { term = "xterm", stty = SIZED, bash = [] }: Terminal,
  lines: string[],
) {
  const argv = [...prefix, "bash", "--norc", "--noprofile", ...bash];
  const talk = Bun.spawn(["expect", "-f", DIALOGUE, `${bench.root}/log`, stty, ...argv], {
    env: { ...bench.env, TERM: term, PS1: "@> ", HISTFILE: "" },
    cwd: bench.root,
    stdin: Buffer.from([...lines, "exit 7", ""].join("\n")),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stderr, code] = await Promise.all([new Response(talk.stderr).text(), talk.exited]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 7 });
  return readFileSync(`${bench.root}/log`).toString("latin1");
}

async function same(terminal: Terminal, lines: string[]): Promise<string> {
  let bare = "";
  for (let round = 0; round < ROUNDS; round++) {
    using bench = new Bench({ LC_ALL: "C.UTF-8" });
    writeFileSync(`${bench.root}/card`, `${testCard()}joined: 👩‍💻 🏳️‍🌈\n`);
    bare = await printed(bench, [], terminal, lines);
    expect(await printed(bench, [HOLT, "run", "--"], terminal, lines)).toBe(bare);
  }
  return bare;
}

const LOOK_AROUND = [
  "stty -a",
  "tput cols; tput lines",
  "echo $TERM $COLUMNS $LINES",
  "printf 'a\\tb\\r\\nc\\n'",
  "cat card",
];

describe("a terminal", () => {
  test.each(["dumb", "vt100", "linux", "xterm-256color", "no-such-terminal"])("that is called %s", async (term) => {
    expect(await same({ term }, LOOK_AROUND)).toContain(`${term} 80 24\r\n`);
  });

  test.each([
    [1, 1],
    [500, 200],
    [1, 24],
    [80, 1],
    [0, 0],
    [65535, 65535],
  ])("of %i columns and %i rows", async (cols, rows) => {
    const bash = ["--noediting"];
    const text = await same({ stty: `rows ${rows} columns ${cols}`, bash }, [...LOOK_AROUND, "stty size"]);
    expect(text).toContain(`\n${rows} ${cols}\r\n`);
  });

  test("so narrow that the line editor wraps every word", async () => {
    expect(await same({ stty: "rows 3 columns 8" }, ["stty size", "echo a longer line"])).toContain("3 8\r\n");
  });

  test("whose keys and modes were set by hand keeps them", async () => {
    const keys = "intr ^G quit ^F susp ^Y erase ^H kill ^X eof ^E";
    const stty = `${SIZED} ${keys} -ixon ixany -echoctl tab3 -iutf8 olcuc echonl`;
    const text = await same({ stty, bash: ["--noediting"] }, ["stty -a", "printf 'a\\tb\\n'"]);
    expect(text).toContain("INTR = ^G");
    expect(text).toContain("\nA       B\r\n");
  });

  test("whose interrupt key is Ctrl-G is interrupted by it, and Ctrl-C is a key like any other", async () => {
    const lines = ["sh -c 'echo waiting; exec cat'", "key 07", "echo code $?", "stty -a"];
    const text = await same({ stty: `${SIZED} intr ^G`, bash: ["--noediting"] }, lines);
    expect(text).toContain("code 130\r\n");
    const typed = ["stty -icanon min 1 -echo; echo waiting; head -c 1 | od -An -tx1; stty sane", "key 03"];
    expect(await same({ stty: `${SIZED} intr ^G`, bash: ["--noediting"] }, typed)).toContain(" 03\r\n");
  });

  test("that does not echo, or only 7 bits of a byte, is left so", async () => {
    await same({ stty: `${SIZED} -echo`, bash: ["--noediting"] }, ["stty -a", "cat card"]);
    await same({ stty: `${SIZED} istrip cs7 parenb`, bash: ["--noediting"] }, ["stty -a", "echo é"]);
  });
});
