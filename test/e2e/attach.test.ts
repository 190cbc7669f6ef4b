import { describe, expect, test } from "bun:test";
import { AttachBench, ECHO, LEAVE, SIZE } from "../support/attach-bench.ts";
import { HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

describe("holt attach", () => {
  test("shows what was there before, takes keys, and leaves with Ctrl-\\ d; the session does not notice", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await bench.run(["wait", id, "--until", "match=ready", "--since", "0"]);
    await using user = bench.attach(id);
    await user.sees("ready");
    user.type("hello\r");
    await user.sees("got hello");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(user.text).toContain(`holt: detached from ${id}`);
    await bench.run(["send", id, "--text", "still there", "--enter"]);
    expect(await bench.run(["wait", id, "--until", "match=got still there", "--since", "0"])).toMatchObject({
      exitCode: 0,
    });
    await bench.end(id);
  });

  test("gives the terminal back as it was: after leaving, after the end, after a signal, and when its holder is killed", async () => {
    using bench = new AttachBench();
    const ends: ((user: TerminalUser, id: string) => unknown)[] = [
      (user) => user.type(LEAVE),
      (user) => user.type("exit\r"),
      (user) => user.proc.kill("SIGTERM"),
      (_, id) => process.kill(bench.meta(id).holder.pid, "SIGKILL"),
    ];
    for (const end of ends) {
      const id = await bench.start("printf '\\033[?1049h\\033[?1003h\\033[?2004h\\033[?25l'; echo ready; read -r line");
      // A shell around it: what it finds afterwards is what any next command would.
      const script = `before=$(stty -g); "$HOLT" attach ${id}; [ "$before" = "$(stty -g)" ] && echo as "it was"`;
      await using user = new TerminalUser(["bash", "-c", script], {
        env: { ...bench.env, HOLT },
        cwd: bench.root,
        ...SIZE,
      });
      await user.sees("ready");
      const from = user.text.length;
      const attach = (await bench.clients(id)).length;
      expect(attach).toBe(1);
      const inner = new Proxy(user, {
        get: (target, key) =>
          key === "proc"
            ? {
                kill: (signal: string) =>
                  Bun.spawnSync(["pkill", `-${signal.slice(3)}`, "-P", String(user.proc.pid), "holt"]),
              }
            : Reflect.get(target, key).bind(target),
      });
      end(inner, id);
      await user.sees("as it was", { from });
      for (const off of ["\x1b[?1049l", "\x1b[?1003l", "\x1b[?2004l", "\x1b[?25h"])
        expect(user.text.slice(from)).toContain(off);
      await bench.end(id);
    }
  });

  test("tells how the session ended, and ends the same way when asked to", async () => {
    using bench = new AttachBench();
    for (const [end, words, code] of [
      ["exit 7", "exited 7", 7],
      ["kill -TERM $$", "signaled SIGTERM", 143],
    ] as const) {
      const id = await bench.start(`echo ready; read -r line; ${end}`);
      await using plain = bench.attach(id);
      await using asked = bench.attach(id, ["--exit-code"]);
      await Promise.all([plain.sees("ready"), asked.sees("ready")]);
      plain.type("\r");
      expect(await plain.exit()).toEqual({ exitCode: 0, signal: null });
      expect(await asked.exit()).toEqual({ exitCode: code, signal: null });
      expect(plain.text).toContain(`holt: ${id} ${words}`);
      // A script cannot know whether the command was faster than it.
      await using late = bench.attach(id, ["--exit-code"]);
      expect(await late.exit()).toEqual({ exitCode: code, signal: null });
      expect(late.text).toContain("ready");
      expect(late.text).toContain(`holt: ${id} ${words}`);
    }
  });

  test("sends every terminal of the session's size the same bytes", async () => {
    using bench = new AttachBench();
    const id = await bench.start(
      "read -r line; for i in $(seq 2000); do printf '\\033[3%dm%d\\033[0m ' $((i % 8)) $i; done; echo; echo done; read -r line",
    );
    await using one = bench.attach(id);
    await using two = bench.attach(id);
    await bench.attached(id, 2);
    const [from1, from2] = [one.text.length, two.text.length];
    one.type("\r");
    await Promise.all([one.sees("done"), two.sees("done")]);
    const tail = (user: TerminalUser, from: number): string =>
      user.text.slice(from).slice(user.text.slice(from).indexOf("\x1b[31m1\x1b"));
    expect(tail(one, from1)).toBe(tail(two, from2));
    expect(tail(one, from1)).toContain("\x1b[30m2000\x1b[0m");
    await bench.end(id);
  });

  test("read-only, it types nothing, has no say in the size, and leaves with Ctrl-C", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await using user = bench.attach(id, ["--read-only"], { cols: 60, rows: 10 });
    await user.sees("ready");
    user.type("nobody hears this\r");
    const [client] = await bench.clients(id);
    expect(client).toMatchObject({ role: "viewer", size: null });
    user.type("\x03");
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    expect(bench.output(id).toString()).not.toContain("nobody");
    expect(bench.events(id).some(({ type }) => type === "resize")).toBe(false);
    await bench.end(id);
  });

  test.each([
    ["without a terminal", ["attach", "ID"], "attach needs a terminal on stdin and stdout"],
    ["with keys that are none", ["attach", "ID", "--detach-keys", "ctrl-banana"], "ctrl-banana"],
  ])("%s it says what to do instead", async (_, args, message) => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    const { stderr, exitCode } = await bench.run(args.map((word) => (word === "ID" ? id : word)));
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    await bench.end(id);
  });

  test("from inside of itself it is refused", async () => {
    using bench = new AttachBench();
    const id = await bench.start("bash --norc -i", ["--name", "self"]);
    await bench.run(["send", id, "--text", `unset HOLT_SESSION_ID; ${HOLT} attach self; echo rc=$?`, "--enter"]);
    const { text } = await bench.run(["wait", id, "--until", "match=rc=\\d", "--since", "0", "--timeout", "20s"]);
    expect(text).toBe("rc=2\n");
    expect(bench.output(id).toString()).toContain(`this terminal belongs to the session itself: ${id}`);
    await bench.end(id);
  });

  /**
   * A attached inside B while B is attached inside A: each printed what the other showed of it, for ever, at the speed of the machine, until the
   * disk's share of both was full. Only the session that one is in oneself was refused.
   */
  test("a circle of sessions that show each other is refused, over however many steps", async () => {
    using bench = new AttachBench();
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((name) => bench.start("bash --norc -i", ["--name", name])));
    if (a === undefined || b === undefined || c === undefined) throw new Error("not started");
    const attach = (inside: string, to: string): Promise<unknown> =>
      bench.run(["send", inside, "--text", `${HOLT} attach ${to}; echo rc=$?`, "--enter"]);
    const insideOf = async (id: string): Promise<unknown[]> =>
      JSON.parse((await bench.run(["clients", id, "--json"])).text).clients.map(
        (client: { inside: unknown }) => client.inside,
      );
    await attach(b, a); // a is shown in b
    await bench.attached(a, 1);
    expect(await insideOf(a)).toEqual([[b]]);
    await attach(c, b); // and b in c
    await bench.attached(b, 1);
    // What is typed into c goes to b and from there to a: the keyboard is a's.
    await bench.run(["send", a, "--text", `${HOLT} attach c; echo rc=$?`, "--enter"]);
    const { text } = await bench.run(["wait", a, "--until", "match=rc=\\d", "--since", "0", "--timeout", "20s"]);
    expect(text).toBe("rc=2\n");
    const said = bench.output(a).toString().replaceAll(/\s+/g, " ");
    expect(said).toContain(`session ${c} shows session ${b}, which shows this terminal: both would print without end`);
    expect(said).toContain(`holt detach ${b} --client c1`);
    for (const id of [a, b, c]) await bench.end(id);
  });

  test("of a session that has ended, or runs on pipes, it says what to use", async () => {
    using bench = new AttachBench();
    const ended = (await bench.run(["start", "--", "true"])).text.trim();
    await bench.run(["wait", ended]);
    const piped = (await bench.run(["start", "--no-pty", "--", "sleep", "60"])).text.trim();
    for (const [id, hint] of [
      [ended, `holt screen ${ended}`],
      [piped, "holt logs -f"],
    ] as const) {
      await using user = bench.attach(id);
      expect((await user.exit()).exitCode).toBeGreaterThan(0);
      expect(user.text).toContain(hint);
    }
    await bench.end(piped);
  });

  test("with no id, it takes the one that runs; of several it names them", async () => {
    using bench = new AttachBench();
    const id = await bench.start(ECHO);
    await using user = new TerminalUser([HOLT, "attach"], { env: bench.env, cwd: bench.root, ...SIZE });
    await user.sees("ready");
    user.type(LEAVE);
    await user.exit();
    const other = await bench.start(ECHO);
    await using lost = new TerminalUser([HOLT, "attach"], { env: bench.env, cwd: bench.root, ...SIZE });
    expect(await lost.exit()).toMatchObject({ exitCode: 2 });
    expect(lost.text).toContain("2 sessions are running: name one");
    expect(lost.text).not.toContain("more");
    const more = [];
    for (let n = 3; n <= 7; n++) more.push(await bench.start(ECHO));
    await using among = new TerminalUser([HOLT, "attach"], { env: bench.env, cwd: bench.root, ...SIZE });
    expect(await among.exit()).toMatchObject({ exitCode: 2 });
    expect(among.text.replaceAll(/\s+/g, " ")).toContain("and 2 more: `holt ls`");
    await bench.end(id, other, ...more);
  });

  test("start --attach does both, at the terminal's own size", async () => {
    using bench = new AttachBench();
    const words = [HOLT, "start", "--attach", "--", "bash", "-c", "stty size; read -r line"];
    await using user = new TerminalUser(words, { env: bench.env, cwd: bench.root, cols: 91, rows: 19 });
    await user.sees("19 91");
    user.type(LEAVE);
    expect(await user.exit()).toEqual({ exitCode: 0, signal: null });
    await bench.end(bench.id);
  });
});
