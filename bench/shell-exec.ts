/** A command in a live shell against a fresh shell for it. */
import type { DaemonClient } from "../src/client/daemon/daemon-client.ts";
import { compare, type Contestant, rounds, type Sample } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const SHELLS = { bash: ["bash", "--norc"], zsh: ["zsh", "-f"], fish: ["fish", "--no-config"] };
const COMMAND = "echo hello";

export async function shellExec(holt: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  using client = await stage.client();
  const { cwd } = stage;
  const contestants: Record<string, Contestant> = { "a fresh `bash -c`": () => fresh(cwd) };
  for (const [session_id, argv] of Object.entries(SHELLS)) {
    await client.call("session.start", { argv, session_id, cwd, env: { HOME: cwd, TMPDIR: cwd } });
    await client.call("session.wait", { session_id, until: "prompt" });
    contestants[`\`session.exec\` in a live ${session_id}`] = () => live(client, session_id);
  }
  return [
    standings(
      "A command in a live shell",
      "`echo hello`, over the daemon's socket, until its output and exit code are there. The baseline is bare `Bun.spawn` of bash on pipes, with its output read.",
      await compare(contestants, rounds(101)),
    ),
  ];
}

async function fresh(cwd: string): Promise<Sample> {
  const started = performance.now();
  const proc = Bun.spawn(["bash", "-c", COMMAND], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [text] = await Promise.all([new Response(proc.stdout).text(), proc.exited]);
  const ms = performance.now() - started;
  if (text !== "hello\n") throw new Error(`bash printed ${JSON.stringify(text)}`);
  return { ms };
}

async function live(client: DaemonClient, session_id: string): Promise<Sample> {
  const started = performance.now();
  const { text, exit_code } = await client.call("session.exec", { session_id, command: COMMAND });
  const ms = performance.now() - started;
  if (text !== "hello\n" || exit_code !== 0) throw new Error(`${session_id} printed ${JSON.stringify(text)}`);
  return { ms };
}
