/** How soon somebody who attaches sees the right screen of a long session. */
import { join } from "node:path";
import { layoutAt } from "../src/transcript/layout.ts";
import { LocalSessions } from "../src/client/sessions/local-sessions.ts";
import { compare, mebibytes, median, quantile, rounds } from "./measure.ts";
import { Stage } from "./stage.ts";
import { ms, type Section, standings } from "./table.ts";

const MIB = mebibytes(100);
const BYTES = MIB * 1024 * 1024;
export const KINDS = ["plain", "colour", "tui"] as const;
const TIMES = rounds(9);
const UNSEEN = 3;
const CURSORS = 15;
const DETACH = "\x1cd";
const TMUX_DETACH = "\x02d";
/** What the program prints last. */
export const MARKER = "PAINTED";

export async function painting(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  const paint = (keys: string, ...command: string[]): Promise<Paint> =>
    painted(stage, [join(bin, "first-paint"), "80", "24", "rendering", MARKER, keys, ...command]);
  const unseen: string[][] = [];
  const past: string[][] = [];
  for (const kind of KINDS) {
    const firsts: Paint[] = [];
    for (const id of [kind, ...Array.from({ length: UNSEEN - 1 }, (_, n) => `${kind}-${n}`)]) {
      await stage.start(id, "--size", "80x24", "--", join(bin, "show"), String(BYTES), kind);
      await printed(stage, id);
      firsts.push(await paint(DETACH, holt, "attach", id));
    }
    const alone = await emulatedAlone(stage, kind);
    const progress = median(firsts.map((first) => first.progress));
    const shown = median(firsts.map((first) => first.painted));
    unseen.push([
      kind,
      progress === 0 ? "–" : ms(progress),
      ms(shown),
      ms(alone.library),
      (shown / alone.library).toFixed(2),
      ms(alone.emulator),
    ]);
    const at = await screensAt(stage, kind);
    past.push([kind, ms(median(at)), ms(quantile(at, 0.9)), ms(Math.max(...at))]);
  }
  await stage.tmux(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "24",
    "-s",
    "plain",
    join(bin, "show"),
    String(BYTES),
    "plain",
  );
  await stage.tmux("set", "-g", "status", "off", ";", "set", "-g", "assume-paste-time", "0");
  while (!(await stage.tmux("capture-pane", "-p", "-t", "plain")).includes(MARKER)) await Bun.sleep(200);
  const attached = (name: string) => async () => ({ ms: (await paint(DETACH, holt, "attach", name)).painted });
  const seen = await compare(
    {
      "`tmux attach`, lines": async () => ({
        ms: (await paint(TMUX_DETACH, ...stage.tmuxCommand, "attach", "-t", "plain")).painted,
      }),
      "`holt attach`, lines": attached("plain"),
      "`holt attach`, coloured lines": attached("colour"),
      "`holt attach`, a full-screen program": attached("tui"),
    },
    TIMES,
  );
  return [
    standings(
      `First paint of ${MIB} MiB that were rendered before`,
      "From the start of the command, in a terminal, to the last word that the session printed on it. The start of the command itself is part of it.",
      seen,
    ),
    {
      title: `First paint of ${MIB} MiB that nobody has looked at`,
      about: `The same, of ${UNSEEN} sessions whose emulator has never run (medians): how soon it says that it renders (a dash where it is done before), and the screen. Beside it what \`@xterm/headless\` needs for all of the transcript, warm and in a process that does nothing else; and holt's emulator around it.`,
      head: ["", "says so", "painted", "xterm alone", "of it", "holt's emulator alone"],
      rows: unseen,
    },
    {
      title: `The screen at a past cursor of ${MIB} MiB`,
      about: `\`holt screen --at\` a random cursor, as a command, with the keyframes of a living session (${CURSORS} times).`,
      head: ["", "median", "p90", "longest"],
      rows: past,
    },
  ];
}

interface Paint {
  first: number;
  progress: number;
  painted: number;
}

async function painted({ cwd, env }: Stage, argv: string[]): Promise<Paint> {
  const proc = Bun.spawn(argv, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const text = await new Response(proc.stdout).text();
  const [first = 0, progress = 0, shown = Number.NaN] = text.trim().split(" ").map(Number);
  if ((await proc.exited) !== 0) throw new Error(`${argv.slice(6).join(" ")} painted nothing`);
  return { first, progress, painted: shown };
}

/** Until it has printed the last word. */
export async function printed({ state }: Stage, id: string): Promise<void> {
  const sessions = new LocalSessions(layoutAt(state));
  using reader = sessions.reader(id);
  for (;;) {
    const end = reader.end();
    const { chunks } = reader.read({ cursor: Math.max(0, end - 64), maxBytes: 64 });
    if (chunks.some(({ bytes }) => new TextDecoder().decode(bytes).includes(MARKER))) return;
    await Bun.sleep(50);
  }
}

async function emulatedAlone({ state }: Stage, id: string): Promise<{ library: number; emulator: number }> {
  const file = join(state, "sessions", id, "output.bin");
  const proc = Bun.spawn([process.execPath, join(import.meta.dir, "alone.ts"), file], {
    stdin: "ignore",
    stdout: "pipe",
  });
  const [library = Number.NaN, emulator = Number.NaN] = (await new Response(proc.stdout).text()).split(" ").map(Number);
  return { library, emulator };
}

async function screensAt(stage: Stage, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < CURSORS; n++) {
    const cursor = Math.floor(Math.random() * BYTES);
    const started = performance.now();
    await stage.holt("screen", id, "--at", String(cursor));
    times.push(performance.now() - started);
  }
  return times;
}
