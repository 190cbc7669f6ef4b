/** Retention in a process of its own: to read thousands of sessions takes half a second, and for that long nobody else would be answered. */
import { ownCommand } from "../../platform/process/own-command.ts";
import type { Layout } from "../../transcript/layout.ts";

const MAX_TOLD = 500;

/** `failed` is told what kept it from looking, or from removing something. */
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
    const [told, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== 0) failed(told.trim().slice(0, MAX_TOLD) || `${child.signalCode ?? code}`);
  } catch (error) {
    failed(String(error));
  }
}
