/** What an agent reads of a large transcript, over the daemon's socket, against `tail` and `rg` on the same bytes. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { encodeIndexRecord } from "../src/transcript/index-record.ts";
import { type Layout, layoutAt, prepareLayout } from "../src/transcript/layout.ts";
import { finalOf, metaOf } from "../test/support/records.ts";
import { compare, type Contestant, median, type Standing } from "./measure.ts";
import { privateKb } from "./process-figures.ts";
import { Stage } from "./stage.ts";
import { ms, type Section } from "./table.ts";

const LARGE = 1024 ** 3;
const SMALL = 1024 ** 2;
const RECORD = 65_536;
const TURNS = 25;
const RARE = 200_000;

export async function tailAndGrep(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const layout = layoutAt(stage.state);
  prepareLayout(layout);
  make(layout, "large", LARGE);
  make(layout, "small", SMALL);
  await stage.daemon();
  using client = await stage.client();
  const { pid } = await client.call("health.info", {});
  const before = memoryOf(pid);
  const tail = (session_id: string): Contestant =>
    repeated(() => client.call("session.read", { session_id, view: "text", tail: 50 }), TURNS);
  const file = join(layout.sessions, "large", "output.bin");
  const tails = await compare({
    "`tail -n 50`, 1 GiB": () => ran(["tail", "-n", "50", file]),
    "`session.read` tail 50, 1 MiB": tail("small"),
    "`session.read` tail 50, 1 GiB": tail("large"),
  });
  const grep = (params: object): Contestant =>
    repeated(() => client.call("session.read", { session_id: "large", view: "text", max_matches: 1000, ...params }), 1);
  const around = { before: 2, after: 2 };
  const greps: [string, string[], object][] = [
    ["error: ", ["-C", "2", "-F"], { grep: "error: ", literal: true, ...around }],
    ["err[a-z]+: .*foo_2", ["-C", "2"], { grep: "err[a-z]+: .*foo_2", ...around }],
    ["Error: undeclared", ["-i"], { grep: "Error: undeclared", ignore_case: true }],
    ["[a-z]+: unde[a-z]+", [], { grep: "[a-z]+: unde[a-z]+" }],
  ];
  const rows: string[][] = [];
  for (const [pattern, flags, params] of greps) {
    const [rg, own] = await compare({
      rg: () => ran(["rg", "--no-filename", ...flags, "-e", pattern, file]),
      own: grep(params),
    });
    if (rg !== undefined && own !== undefined) rows.push(grepRow(`\`${pattern}\` ${flags.join(" ")}`, rg, own));
  }
  const small = tails[1]?.ms ?? Number.NaN;
  return [
    {
      title: "The end of a transcript",
      about: `50 lines over the daemon's socket (${TURNS} calls a turn), and \`tail\` as a process. The daemon's private memory was ${before} MB before and ${memoryOf(pid)} MB after all calls of this and the next table.`,
      head: ["", "median", "of 1 MiB"],
      rows: tails.map((own) => [own.name, ms(own.ms), own.name.startsWith("`tail") ? "" : (own.ms / small).toFixed(2)]),
    },
    {
      title: "What matches in a gigabyte",
      about:
        "A build log of 1 GiB in the page cache, a match every 15 MB, over the daemon's socket against `rg` as a process on output.bin.",
      head: ["", "`rg`", "`session.read` grep", "of `rg`", "range"],
      rows,
    },
  ];
}

function grepRow(name: string, rg: Standing, own: Standing): string[] {
  return [name, ms(rg.ms), ms(own.ms), own.ratio.toFixed(2), `${own.low.toFixed(2)} – ${own.high.toFixed(2)}`];
}

/** An ended session on a terminal that printed a build log. */
function make(layout: Layout, id: string, size: number): void {
  const directory = join(layout.sessions, id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const output = openSync(join(directory, "output.bin"), "w", 0o600);
  let written = 0;
  for (let line = 0; written < size; ) {
    let text = "";
    while (text.length < 4 * 1024 * 1024) {
      line++;
      text += `[${(line / 100).toFixed(2)}] CC src/module_${line % 997}/file_${(line * 7919) % 1_000_003}.c -O2 -Wall -o build/obj_${line}.o\r\n`;
      if (line % RARE === 0) text += `src/module_1/x.c:12: error: undeclared identifier foo_${line}\r\n`;
    }
    written += writeSync(output, text.slice(0, size - written));
  }
  closeSync(output);
  const index: string[] = [];
  for (let offset = 0; offset < size; offset += RECORD) {
    const length = Math.min(RECORD, size - offset);
    index.push(encodeIndexRecord({ offset, length, channel: "pty", timestamp: "2026-01-02T03:04:05.678Z" }));
  }
  const ended_at = new Date().toISOString();
  writeFileSync(join(directory, "index.jsonl"), index.join(""), { mode: 0o600 });
  writeFileSync(join(directory, "meta.json"), JSON.stringify(metaOf(id, { retention_seconds: 86_400 })), {
    mode: 0o600,
  });
  writeFileSync(join(directory, "final.json"), JSON.stringify(finalOf(id, { output_bytes: size, ended_at })), {
    mode: 0o600,
  });
}

/** The median of several calls. */
function repeated(call: () => Promise<unknown>, turns: number): Contestant {
  return async () => {
    const times: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const started = performance.now();
      await call();
      times.push(performance.now() - started);
    }
    return { ms: median(times) };
  };
}

async function ran(argv: string[]): Promise<{ ms: number }> {
  const started = performance.now();
  const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  await new Response(proc.stdout).bytes();
  await proc.exited;
  return { ms: performance.now() - started };
}

function memoryOf(pid: number): string {
  return (privateKb(pid) / 1024).toFixed(1);
}
