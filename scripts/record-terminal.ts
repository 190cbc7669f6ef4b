/**
 * The recording at the top of README: docs/images/terminal.svg, an animated picture of a real terminal.
 *
 *   make build && node_modules/.bin/bun scripts/record-terminal.ts
 *
 * A shell runs in a session of holt, the commands below are typed into it, and the picture is made of what its screen
 * showed at each moment (`holt screen --at`), at the pace of the transcript.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const HOLT = join(ROOT, "dist/holt");
const OUT = join(ROOT, "docs/images/terminal.svg");
const SIZE = "80x14";
/** A longer pause is cut to this; then all of it is brought to this length. */
const MAX_PAUSE_MS = 1200;
const LENGTH_MS = 13_000;
/** Screens that follow one another sooner are one frame. */
const FRAME_MS = 30;
const LAST_FRAME_MS = 2000;

const PROGRAMS: Record<string, string> = {
  test: `echo "✓ parses a cursor"; sleep 0.2; echo "✓ follows the output"; sleep 0.2; echo "✗ resumes after a crash"; exit 1`,
  build: `for i in $(seq 14); do printf '\\r\\033[36mcompiling\\033[0m %2d/14 ' $i; sleep 0.5; done; echo; echo "dist/app 1.2 MB"`,
};

interface Frame {
  at: number;
  elements: string[];
}

const home = mkdtempSync(join(tmpdir(), "holt-recording-"));
const env = {
  HOME: home,
  PATH: `${home}/bin:/usr/bin:/bin`,
  LANG: "C.UTF-8",
  TERM: "xterm-256color",
  PS1: "\\[\\033[32m\\]$\\[\\033[0m\\] ",
};
try {
  prepare();
  await play();
  const frames = await framesOf("demo");
  writeFileSync(OUT, picture(frames));
  console.log(`${OUT}: ${frames.length} frames, ${((frames.at(-1)?.at ?? 0) / 1000).toFixed(1)} s`);
} finally {
  await holt("daemon", "stop", "--stop-sessions", "--grace", "1s");
  rmSync(home, { recursive: true, force: true });
}

function prepare(): void {
  mkdirSync(join(home, "bin"));
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, name), 0o755);
  }
  writeFileSync(join(home, "bin/holt"), `#!/bin/sh\nexec ${HOLT} "$@"\n`);
  chmodSync(join(home, "bin/holt"), 0o755);
}

async function play(): Promise<void> {
  await holt("start", "--name", "demo", "--session-id", "demo", "--size", SIZE, "--cwd", home, "--", "bash", "--norc");
  await holt("wait", "demo", "--until", "prompt", "--timeout", "30s");
  await command("holt run --name tests -- ./test", "prompt");
  await command("holt start --name build -- ./build", "prompt");
  await command("holt attach build", "output");
  await Bun.sleep(2000);
  await holt("send", "demo", "--keys", "ctrl-\\,d");
  await holt("wait", "demo", "--until", "prompt", "--timeout", "30s");
  await Bun.sleep(600);
  await command("holt wait build --exit-code && echo built", "prompt");
  await command("holt ls", "prompt");
}

async function command(line: string, until: string): Promise<void> {
  await Bun.sleep(300);
  for (const key of line) {
    await holt("send", "demo", "--text", key);
  }
  await Bun.sleep(200);
  await holt("send", "demo", "--keys", "enter", "--until", until, "--timeout", "30s");
}

async function framesOf(id: string): Promise<Frame[]> {
  const index = readFileSync(join(home, ".local/state/holt/sessions", id, "index.jsonl"), "utf8");
  const records = index
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { offset: number | string; length: number; timestamp: string });
  const moments = records
    .map(({ offset, length, timestamp }) => ({ cursor: Number(offset) + length, at: Date.parse(timestamp) }))
    .filter(({ at }, n, all) => (all[n + 1]?.at ?? Number.POSITIVE_INFINITY) - at > FRAME_MS);
  const frames: Frame[] = [];
  let [time, before] = [0, moments[0]?.at ?? 0];
  for (const { cursor, at } of moments) {
    time += Math.min(at - before, MAX_PAUSE_MS);
    before = at;
    const svg = await holt("screen", id, "--at", String(cursor), "--format", "svg");
    const drawn = svg
      .split("\n")
      .slice(2)
      .filter((line) => /^<(text|rect|a) /.test(line));
    frames.push({ at: time, elements: drawn.map(trimmed) });
  }
  return frames.map(({ at, elements }) => ({ at: Math.round((at * LENGTH_MS) / time), elements }));
}

/** A text without its trailing spaces, as wide as it then is. */
function trimmed(element: string): string {
  return element.replace(
    / textLength="([\d.]+)"([^>]*)>([^<]* )<\/text>/,
    (_, width: string, rest: string, text: string) => {
      const kept = text.trimEnd();
      const cells = (part: string): number => part.replaceAll(/&[^;]+;/g, "x").length;
      return ` textLength="${((Number(width) * cells(kept)) / cells(text)).toFixed(1)}"${rest}>${kept}</text>`;
    },
  );
}

/** Each element is drawn once, and shown while its frames last. Without animation the last frame is shown. */
function picture(frames: readonly Frame[]): string {
  const end = (frames.at(-1)?.at ?? 0) + LAST_FRAME_MS;
  const shown = new Map<string, [from: number, to: number][]>();
  frames.forEach(({ at, elements }, n) => {
    const to = frames[n + 1]?.at ?? end;
    for (const element of elements) {
      const spans = shown.get(element) ?? [];
      const last = spans.at(-1);
      if (last?.[1] === at) last[1] = to;
      else if (last?.[0] !== at) spans.push([at, to]);
      shown.set(element, spans);
    }
  });
  const [cols = 80, rows = 20] = SIZE.split("x").map(Number);
  const width = Math.ceil(cols * 8.4 + 16);
  const height = rows * 17 + 16;
  const drawn = [...shown].map(([element, spans]) => animated(element, spans, end));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" role="img">`,
    "<title>holt run, start, attach and wait in a terminal</title>",
    `<rect width="${width}" height="${height}" rx="8" fill="#101010"/>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

function animated(element: string, spans: readonly [number, number][], end: number): string {
  const last = spans.at(-1)?.[1] === end;
  if (spans.length === 1 && spans[0]?.[0] === 0 && last) return element;
  const steps: [time: number, value: string][] = spans.flatMap(([from, to]) => [
    [from, "visible"],
    [to, "hidden"],
  ]);
  if (steps[0]?.[0] !== 0) steps.unshift([0, "hidden"]);
  if (last) steps.pop();
  const times = steps.map(([time]) => (time / end).toFixed(4)).join(";");
  const values = steps.map(([, value]) => value).join(";");
  const animation = `<animate attributeName="visibility" calcMode="discrete" dur="${(end / 1000).toFixed(2)}s" repeatCount="indefinite" keyTimes="${times}" values="${values}"/>`;
  return `<g visibility="${last ? "visible" : "hidden"}">${element}${animation}</g>`;
}

async function holt(...args: string[]): Promise<string> {
  const run = Bun.spawn([HOLT, ...args], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, problem, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  if (code !== 0) throw new Error(`holt ${args.join(" ")}: ${code}\n${problem}`);
  return out;
}
