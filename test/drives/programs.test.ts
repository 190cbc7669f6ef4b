/** Programs that were made for people, driven only by sending and waiting: nothing is scraped, nothing is polled, nothing sleeps. */
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drive } from "./driver.ts";

const SOURCE = join(import.meta.dir, "../fixtures/crackme.c");

test("gdb: a breakpoint, registers, steps, a disassembled line, a backtrace, and on", async () => {
  await drive(
    (bench) => {
      const built = Bun.spawnSync([
        "gcc",
        "-g",
        "-O0",
        "-fno-pie",
        "-no-pie",
        "-o",
        join(bench.root, "crackme"),
        SOURCE,
      ]);
      if (built.exitCode !== 0) throw new Error(built.stderr.toString());
      return { argv: ["gdb", "-q", "-nx", "./crackme"], env: { DEBUGINFOD_URLS: "" } };
    },
    async (gdb) => {
      await gdb.prints("\\(gdb\\) ");
      await gdb.type("set pagination off\nset disable-randomization off\n");
      await gdb.type("break main\n");
      expect(await gdb.prints("Breakpoint 1 at .*crackme.c, line \\d+")).toContain("crackme.c");
      await gdb.type("run\n");
      await gdb.prints("Breakpoint 1, main \\(");
      await gdb.type("info registers\n");
      await gdb.prints("rip +0x[0-9a-f]+");
      await gdb.type("si\nni\nx/i $rip\n");
      expect(await gdb.prints("=> 0x[0-9a-f]+ <main\\+\\d+>:.*")).toContain("main");
      await gdb.type("break check\ncontinue\n");
      await gdb.prints("Breakpoint 2, check \\(");
      await gdb.type("bt\n");
      await gdb.prints("#0 +check \\([\\s\\S]*#1 .* main \\(");
      await gdb.type("continue\n");
      await gdb.prints("closed");
      await gdb.prints("exited normally");
      await gdb.type("quit\n");
      expect(await gdb.exits()).toBe(0);
    },
  );
});

const REPLS = {
  python: { argv: ["python3", "-q", "-i"], prompt: ">>> ", question: "print(6 * 7)\n", answer: "^42", end: "exit()\n" },
  node: { argv: ["node", "-i"], prompt: "> ", question: "'an' + 'swer'\n", answer: "'answer'", end: ".exit\n" },
  sqlite3: { argv: ["sqlite3"], prompt: "sqlite> ", question: "select 6 * 7;\n", answer: "^42", end: ".quit\n" },
};

test.each(Object.entries(REPLS))("%s: a question at its prompt is answered", async (_name, program) => {
  const { argv, prompt, question, answer, end } = program;
  await drive(
    () => ({ argv, env: { NODE_REPL_HISTORY: "", PYTHON_BASIC_REPL: "1" } }),
    async (repl) => {
      await repl.prints(prompt);
      expect(await repl.asks()).toBe("reading");
      await repl.type(question);
      await repl.prints(answer);
      await repl.type(end);
      expect(await repl.exits()).toBe(0);
    },
  );
});

test("a password is asked for without echo, and is not in what was printed", async () => {
  await drive(
    () => ({ argv: ["bash", "-c", 'read -rsp "Password: " word; echo; echo "${#word} characters"'] }),
    async (prompt) => {
      await prompt.prints("Password: ");
      expect(await prompt.asks()).toBe("echo_off");
      await prompt.type("hunter2\n");
      await prompt.prints("7 characters");
      expect(await prompt.exits()).toBe(0);
      const { text } = await prompt.client.call("session.read", { session_id: prompt.id, view: "text" });
      expect(text).not.toContain("hunter2");
    },
  );
});

test("vim without a screen edits a file by what it is sent", async () => {
  await drive(
    (bench) => {
      writeFileSync(join(bench.root, "file.txt"), "one\ntwo\n");
      return { argv: ["vim", "-Es", "-u", "NONE", "file.txt"] };
    },
    async (vim, bench) => {
      await vim.type("%s/two/three/\nwq\n");
      expect(await vim.exits()).toBe(0);
      expect(readFileSync(join(bench.root, "file.txt"), "utf8")).toBe("one\nthree\n");
    },
  );
});

test("less: a search is on the screen, and it leaves", async () => {
  await drive(
    (bench) => {
      writeFileSync(join(bench.root, "long.txt"), Array.from({ length: 500 }, (_, i) => `line ${i + 1}\n`).join(""));
      return { argv: ["less", "long.txt"], env: { LESS: "" } };
    },
    async (less) => {
      await less.shows("^line 1$");
      await less.type("/line 321\n");
      await less.shows("^line 321$");
      await less.type("q");
      expect(await less.exits()).toBe(0);
    },
  );
});

test("git rebase -i in a full-screen editor: two commits become one", async () => {
  const git = (cwd: string, ...args: string[]): string => {
    const done = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
    if (done.exitCode !== 0) throw new Error(done.stderr.toString());
    return done.stdout.toString();
  };
  await drive(
    (bench) => {
      const repository = join(bench.root, "repository");
      rmSync(repository, { recursive: true, force: true });
      git(bench.root, "init", "-q", "repository");
      for (const word of ["one", "two", "three"]) {
        writeFileSync(join(repository, word), word);
        git(repository, "add", ".");
        git(repository, "commit", "-q", "-m", word);
      }
      const env = { GIT_EDITOR: "vim -u NONE -N", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
      return { argv: ["git", "rebase", "-i", "HEAD~2"], cwd: repository, env };
    },
    async (rebase, bench) => {
      await rebase.shows("pick [0-9a-f]+ three");
      await rebase.press("j", "c", "w");
      await rebase.type("fixup");
      await rebase.press("escape");
      await rebase.shows("fixup [0-9a-f]+ three");
      await rebase.press(":", "w", "q", "enter");
      expect(await rebase.exits()).toBe(0);
      expect(git(join(bench.root, "repository"), "log", "--format=%s").trim()).toBe("two\none");
    },
  );
});
