/** A flood through a terminal to the disk. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { compare, type Contestant, mebibytes, ratioOf, rounds, type Sample, timed } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const MIB = mebibytes(128);
const BYTES = MIB * 1024 * 1024;
const TMUX_SETTLED_MS = 20;

export async function capture(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  using client = await stage.client();
  const file = join(stage.cwd, "captured");
  const sections: Section[] = [];
  // The terminal turns each newline into two bytes.
  const kinds = [
    ["plain", "without newlines", BYTES],
    ["lines", "in lines of 80", BYTES + Math.floor(BYTES / 65536) * Math.floor(65536 / 80)],
  ] as const;
  for (const [kind, title, produced] of kinds) {
    const flood = [join(bin, "flood"), String(BYTES), kind];
    const intoFile = (work: Contestant): Contestant => checked(work, file, produced);
    const intoSession = (work: (id: string) => Promise<Sample>): Contestant => {
      const transcript = join(stage.state, "sessions", "flood", "output.bin");
      return async () => {
        const sample = await checked(() => work("flood"), transcript, produced)();
        await stage.holt("rm", "flood");
        return sample;
      };
    };
    const results = await compare(
      {
        "C: read and append": intoFile(() => timed([join(bin, "capture"), file, ...flood], stage)),
        "holt, in the background": intoSession((id) => inBackground(client, id, flood, stage.cwd)),
        "`holt run`, watched": intoSession((id) =>
          timed([holt, "run", "--session-id", id, "--", ...flood], stage, "terminal"),
        ),
        "`script`, watched": intoFile(() => timed(["script", "-qefc", flood.join(" "), file], stage, "terminal")),
        "tmux with pipe-pane": intoFile(() => byTmux(stage, flood, file)),
      },
      rounds(7),
    );
    const speed = 1 / ratioOf(results, "holt, in the background");
    sections.push({
      ...standings(
        `Capture of ${MIB} MiB from a terminal, ${title}`,
        "Time until every byte is in the file. CPU is that of the program and its children, where they are the benchmark's own. The baseline does nothing but read and append; watched means that the bytes also go to an outer terminal, which something must read.",
        results,
        ({ ms }) => `${Math.round(MIB / (ms / 1000))} MiB/s`,
      ),
      bar: kind === "plain" ? { capture: speed } : { captureLines: speed },
    });
  }
  return sections;
}

/** The file is removed before, and has every byte afterwards. */
function checked(work: Contestant, path: string, produced: number): Contestant {
  return async () => {
    rmSync(path, { force: true });
    const sample = await work();
    const { size } = statSync(path);
    if (size < produced) throw new Error(`${path} has ${size} of ${produced} bytes`);
    return sample;
  };
}

async function inBackground(client: DaemonClient, session_id: string, argv: string[], cwd: string): Promise<Sample> {
  const started = performance.now();
  const starting = client.call("session.start", { session_id, argv, cwd, pty: { cols: 80, rows: 24 } });
  const { outcome } = await client.call("session.wait", { session_id, timeout_ms: 60_000 });
  await starting;
  if (outcome !== "exited") throw new Error(`${session_id}: ${outcome}`);
  return { ms: performance.now() - started };
}

/** From the start of the command to the last byte in pipe-pane's file. */
async function byTmux(stage: Stage, flood: string[], file: string): Promise<Sample> {
  const [go, done] = [join(stage.cwd, "go"), join(stage.cwd, "done")];
  const command = `while [ ! -e ${go} ]; do sleep 0.01; done; ${flood.join(" ")}; touch ${done}; sleep 60`;
  await stage.tmux("new-session", "-d", "-x", "80", "-y", "24", "-s", "flood", command);
  try {
    await stage.tmux("pipe-pane", "-t", "flood", "-o", `cat > ${file}`);
    const started = performance.now();
    await Bun.write(go, "");
    while (!(await Bun.file(done).exists())) await Bun.sleep(2);
    let size = -1;
    for (let now = statSync(file).size; now !== size; now = statSync(file).size) {
      size = now;
      await Bun.sleep(TMUX_SETTLED_MS);
    }
    return { ms: performance.now() - started - TMUX_SETTLED_MS };
  } finally {
    await stage.tmux("kill-server");
    for (const path of [go, done]) rmSync(path, { force: true });
  }
}
