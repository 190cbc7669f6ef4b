/**
 * Runs retention in a child process: reading thousands of sessions takes half a second, in which
 * the daemon could answer no call.
 */
import { ownCommand } from "../../platform/process/own-command.ts";
import type { Layout } from "../../transcript/layout.ts";

const MAX_ERROR_LENGTH = 500;

/** `failed` receives the error if the sweep could not run or remove something. */
export async function runSweepProcess(
  { root }: Layout,
  failed: (why: string) => void,
  own: readonly string[] = ownCommand(),
): Promise<void> {
  try {
    const child = Bun.spawn([...own, "__sweep"], {
      cwd: "/",
      env: { ...process.env, HOLT_STATE_DIR: root },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== 0) failed(stderr.trim().slice(0, MAX_ERROR_LENGTH) || `${child.signalCode ?? code}`);
  } catch (error) {
    failed(String(error));
  }
}
