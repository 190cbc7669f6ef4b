/**
 * Recovers an interrupted fish. A Ctrl-C while fish is about to print its marks suppresses them,
 * both the end mark and the prompt mark. Its next prompt, after an Enter, prints a mark again.
 */
import type { ShellHost } from "./shell-host.ts";
import type { ShellProgress } from "./progress.ts";

/** After a Ctrl-C a shell is at its prompt within a few milliseconds. */
const BACK_MS = 500;
const TRIES = 4;

/** True if fish waits for keys, whatever its marks say. */
export function isBackUnmarked(host: ShellHost, { shell }: ShellProgress): boolean {
  if (shell !== "fish" || host.foregroundName() !== null || host.hasUnreadInput()) return false;
  return host.isEditing() && host.isReading();
}

/** After an interrupt: presses Enter until a prompt mark comes. Stops when a user types. */
export async function redrawPrompt(
  host: ShellHost,
  progress: ShellProgress,
  type: (keys: string) => void,
): Promise<void> {
  if (progress.shell !== "fish") return;
  const hasPrompt = (): boolean => progress.state.kind === "prompt" || progress.isClosed;
  let typed = progress.timesTyped;
  for (let tries = 0; tries < TRIES; tries++) {
    const until = performance.now() + BACK_MS;
    for (let left = BACK_MS; left > 0 && !hasPrompt(); left = until - performance.now())
      await progress.changes.next(left);
    if (hasPrompt() || progress.timesTyped !== typed) return;
    if (!isBackUnmarked(host, progress)) continue;
    try {
      type("\r");
    } catch {
      return; // another client has the keyboard
    }
    typed = progress.timesTyped;
  }
}
