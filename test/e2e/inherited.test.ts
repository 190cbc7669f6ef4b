/**
 * What a command inherits under holt is what it inherits without. `ulimit -Sn 1024` became 20000 under holt, since the runtime raises its own limit; a script that
 * ignored Ctrl-C (`trap '' INT`) had its command ended by it at a terminal; and a session that cron started on a terminal had no TERM.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

const SIGNALS = "HUP INT QUIT PIPE TERM CHLD TSTP TTIN TTOU XFSZ USR1".split(" ");
/** Of the command itself: a shell in between would have its own signals. */
const STATUS = `awk '/^Sig(Blk|Ign)/ { printf "%s %s ", $1, $2 } /open files/ { print $4, $5 }' /proc/self/status /proc/self/limits`;
const REST = `sh -c 'umask; echo "TERM=$TERM"; ls /proc/self/fd'`;

/** Each row is a job of a shell that ignores one signal, as in a script with a trap. Shells stay in between for the sake of what they ignore. */
const ROWS = [
  `(${probeAfter(":")})`,
  ...SIGNALS.map((signal) => `(${probeAfter(`trap '' ${signal}`)})`),
  `(ulimit -Sn 1024; umask 027; $VIA ${STATUS} 7</dev/null; $VIA ${REST} 7</dev/null; :)`,
  `(ulimit -n 300; $VIA ${STATUS}; :)`,
  `(unset TERM; $VIA ${REST}; :)`,
  `(ulimit -Sn 100; $VIA ${STATUS} 90</dev/null; :)`,
  // Without a shell that could be asked: what holt replaces is what it inherits.
  `(trap '' HUP USR1; exec $VIA ${STATUS})`,
];

function probeAfter(setting: string): string {
  return `${setting}; $VIA ${STATUS}; :`;
}

const SCRIPT = `${ROWS.map((row) => `echo ${JSON.stringify(row.replaceAll(/["$`\\]/g, "."))}; ${row}`).join("\n")}\necho "end"\n`;

/** 32 and 33 are glibc's own: posix_spawn, as of make, may leave them ignored, and holt does not pass that on. */
function withoutLibcs(text: string): string {
  return text.replaceAll(/(?<=SigIgn: )[0-9a-f]{16}/g, (bits) =>
    (BigInt(`0x${bits}`) & ~0x180000000n).toString(16).padStart(16, "0"),
  );
}

async function onPipes(bench: Bench, via: string): Promise<string> {
  return withoutLibcs((await bench.shell(`VIA="${via}"\n${SCRIPT}`)).text);
}

async function onTerminal(bench: Bench, via: string): Promise<string> {
  const env = { ...bench.env, HOLT, VIA: via };
  await using user = new TerminalUser(["bash", "-c", SCRIPT], { env, cwd: bench.root });
  await user.exit();
  return withoutLibcs(user.text.replaceAll("\r", ""));
}

describe.each([
  ["on pipes", onPipes],
  ["on a terminal", onTerminal],
])("holt run %s", (_, printed) => {
  test.each([
    ["", {}],
    [", without native code", { HOLT_NO_NATIVE: "1" }],
  ])(
    "gives a command the signals, limits, umask, TERM and descriptors that it has without%s",
    async (__, extra: Record<string, string>) => {
      using bench = new Bench(extra);
      const bare = await printed(bench, "");
      expect(bare).toEndWith("end\n");
      expect(bare.match(/SigIgn:/g)?.length).toBe(ROWS.length - 1);
      expect(bare).toMatch(/ 1024 [^]* 300 300\n[^]* 100 /);
      expect((await printed(bench, `${HOLT} run --`)).split("\n")).toEqual(bare.split("\n"));
    },
    30_000,
  );
});

describe.each([
  ["by a holder of its own", false],
  ["by a daemon's holder that waits", true],
])("holt start, %s", (_, isWarm) => {
  test.each([
    ["on a terminal", "", "xterm-256color"],
    ["on pipes", "--no-pty", ""],
  ])(
    "gives a command the caller's limit on open files and a TERM, and ignores nothing, %s",
    async (__, option, term) => {
      using bench = isWarm ? Bench.withDaemon() : new Bench();
      try {
        // Started where the limit is another: the daemon's is not the command's.
        if (isWarm) expect((await bench.shell(`ulimit -Sn 700; "$HOLT" daemon`)).stderr).toBe("");
        const probe = `${STATUS} >out; ${REST} >>out; echo done >>out`;
        const { stderr } = await bench.shell(
          `ulimit -Sn 1024; umask 027; unset TERM; trap '' INT; "$HOLT" wait "$("$HOLT" start ${option} -- sh -c ${quoted(probe)})"`,
        );
        expect(stderr).toBe("");
        const hard = Number((await bench.shell("ulimit -Hn")).text);
        const none = "0".repeat(16);
        expect(readFileSync(join(bench.root, "out"), "utf8").split("\n").slice(0, 7)).toEqual([
          `SigBlk: ${none} SigIgn: ${none} 1024 ${hard}`,
          "0027",
          `TERM=${term}`,
          "0",
          "1",
          "2",
          "3",
        ]);
      } finally {
        if (isWarm) await end(bench);
      }
    },
  );
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
