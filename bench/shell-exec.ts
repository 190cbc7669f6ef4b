/** A command in a live shell against a fresh shell for it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaemonClient } from "../src/client/daemon-client.ts";
import { layoutAt } from "../src/transcript/layout.ts";
import { compare, type Contestant, ROUNDS, type Sample, timed } from "./measure.ts";
import { type Section, standings } from "./table.ts";

const ROUNDS_SHORT = Math.max(ROUNDS, 41);
/** So that nothing of one round runs into the next. */
const PAUSE_MS = 30;
const SHELLS = { bash: ["bash", "--norc"], zsh: ["zsh", "-f"], fish: ["fish", "--no-config"] };
const COMMAND = "echo hello";

export async function shellExec(holt: string): Promise<Section[]> {
  const cwd = mkdtempSync(join(tmpdir(), "hb-"));
  const env = { HOLT_STATE_DIR: join(cwd, "state"), HOME: cwd, TMPDIR: cwd };
  try {
    await timed([holt, "daemon"], { cwd, env });
    using client = await DaemonClient.dial(layoutAt(env.HOLT_STATE_DIR));
    if (client === null) throw new Error("no daemon");
    const contestants: Record<string, Contestant> = { "a fresh `bash -c`": rested(() => fresh(cwd)) };
    for (const [session_id, argv] of Object.entries(SHELLS)) {
      await client.call("session.start", { argv, session_id, cwd, env: { HOME: cwd, TMPDIR: cwd } });
      await client.call("session.wait", { session_id, until: "prompt" });
      contestants[`\`session.exec\` in a live ${session_id}`] = rested(() => live(client, session_id));
    }
    const standing = await compare(contestants, ROUNDS_SHORT);
    for (const session_id of Object.keys(SHELLS)) await client.call("session.kill", { session_id });
    return [
      standings(
        "A command in a live shell",
        "`echo hello`, over the daemon's socket, until its output and exit code are there. The baseline is bare `Bun.spawn` of bash on pipes, with its output read.",
        standing,
      ),
    ];
  } finally {
    await timed([holt, "daemon", "stop"], { cwd, env });
    rmSync(cwd, { recursive: true, force: true });
  }
}

function rested(work: () => Promise<Sample>): () => Promise<Sample> {
  return async () => {
    await Bun.sleep(PAUSE_MS);
    return work();
  };
}

async function fresh(cwd: string): Promise<Sample> {
  const started = performance.now();
  const proc = Bun.spawn(["bash", "-c", COMMAND], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [text] = await Promise.all([new Response(proc.stdout).text(), proc.exited]);
  const ms = performance.now() - started;
  if (text !== "hello\n") throw new Error(`bash said ${JSON.stringify(text)}`);
  return { ms };
}

async function live(client: DaemonClient, session_id: string): Promise<Sample> {
  const started = performance.now();
  const { text, exit_code } = await client.call("session.exec", { session_id, command: COMMAND });
  const ms = performance.now() - started;
  if (text !== "hello\n" || exit_code !== 0) throw new Error(`${session_id} said ${JSON.stringify(text)}`);
  return { ms };
}
