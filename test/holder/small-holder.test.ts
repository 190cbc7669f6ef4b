/**
 * What keeps an idle holder small, and that nobody notices: the runtime's settings are the holder's own, and a sleeping session has nothing loaded
 * that reads output.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { DEFAULT_MODES } from "../../src/protocol/types/modes.ts";
import type { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { SessionTerminal } from "../../src/holder/session/session-terminal.ts";

const BLOCKS_AHEAD = "BUN_JSC_useWarmUpMarkedBlocks";
const TOLD = [`${BLOCKS_AHEAD}=0`, "BUN_JSC_numberOfGCMarkers=1", "BUN_JSC_useConcurrentGC=0", "MIMALLOC_SCAVENGER=0"];

function environmentOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
}

describe("How the runtime is to be", () => {
  const settings = (entries: readonly string[]): string[] =>
    entries.filter((entry) => /^(?:BUN_|MIMALLOC_|MALLOC_|GLIBC_)/.test(entry));

  test("is told a holder of the daemon's, and not its command", async () => {
    await withDaemon(async (client, bench) => {
      while ((await client.call("health.info", {})).warm === 0);
      const told = (await bench.run(["start", "--", "sleep", "60"])).text.trim();
      const { holder, process: command } = bench.meta(told);
      expect(settings(environmentOf(holder.pid))).toEqual(expect.arrayContaining(TOLD));
      // The thread that runs it, and the one that polls for it: those of the runtime that mark, collect and give memory back cost each holder 50 KB.
      expect(readdirSync(`/proc/${holder.pid}/task`)).toHaveLength(2);
      await until("it is sleep", () => readFileSync(`/proc/${command?.pid}/cmdline`, "latin1").startsWith("sleep"));
      expect(settings(environmentOf(command?.pid ?? 0))).toEqual(settings(environmentOf(process.pid)));
    });
  });

  test("is told the daemon, whoever started it", async () => {
    using bench = new Bench({ [BLOCKS_AHEAD]: "1" });
    await bench.run(["daemon"]);
    const { pid } = JSON.parse((await bench.run(["daemon", "status", "--json"])).text) as { pid: number };
    const told = environmentOf(pid);
    await bench.run(["daemon", "stop"]);
    expect(settings(told)).toEqual(expect.arrayContaining(TOLD));
    expect(told).not.toContain(`${BLOCKS_AHEAD}=1`);
  });

  test("is told a holder that was started without one, and leaves the command what its starter has said", async () => {
    using bench = new Bench({ [BLOCKS_AHEAD]: "1" });
    const id = (await bench.run(["start", "--no-pty", "--", "sleep", "60"])).text.trim();
    const { holder, process: command } = bench.meta(id);
    expect(environmentOf(holder.pid).filter((entry) => entry.startsWith(BLOCKS_AHEAD))).toEqual([`${BLOCKS_AHEAD}=0`]);
    expect(environmentOf(command?.pid ?? 0)).toContain(`${BLOCKS_AHEAD}=1`);
    await bench.run(["kill", id]);
    await until("it has ended", () => bench.holders().length === 0);
  });
});

describe("A session that prints nothing", () => {
  const SIZE = { cols: 80, rows: 24, width: 0, height: 0 };
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test("has nobody who reads its output; what it says first is answered all the same", () => {
    const answers: string[] = [];
    const marks: string[] = [];
    let made = 0;
    const terminal = new SessionTerminal({
      layout: layoutAt("/nonexistent"),
      id: "x",
      writer: {} as TranscriptWriter, // for a screen, which nobody asks for
      size: SIZE,
      background: () => {
        made++;
        return "";
      },
      reply: (answer) => answers.push(new TextDecoder().decode(answer)),
    });
    terminal.shellMarked = (text) => marks.push(text);
    expect([terminal.modes, terminal.modesNow(), terminal.title, made]).toEqual([DEFAULT_MODES, DEFAULT_MODES, "", 0]);
    terminal.output(0, bytes("\x1b[c\x1b[?2004h\x1b]2;t\x07\x1b]133;A\x07"));
    expect([answers.length, terminal.modes.bracketed_paste, terminal.title, marks.length]).toEqual([1, true, "t", 1]);
    terminal.output(99, bytes("\x1b[?2004l"));
    expect([made, terminal.modesNow()]).toEqual([1, DEFAULT_MODES]);
  });
});
