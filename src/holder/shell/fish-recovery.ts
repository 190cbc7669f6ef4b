/**
 * fish that is interrupted while it is about to print its marks prints none of them, of what ended, or of its prompt, and stands there. With its next prompt, which takes an Enter, it tells
 * again where it is.
 */
import type { ShellHost } from "./shell-host.ts";
import type { ShellProgress } from "./progress.ts";

/** After a Ctrl-C a shell is at its prompt within a few milliseconds. */
const BACK_MS = 500;
const TRIES = 4;

/** It waits for keys, whatever it has told. */
export function isBackUnmarked(host: ShellHost, { shell }: ShellProgress): boolean {
  if (shell !== "fish" || host.foreground() !== null || host.hasUnread()) return false;
  return host.isEditing() && host.isReading();
}

/** After it was interrupted: until it has told of its prompt. Not where somebody types. */
export async function redrawPrompt(
  host: ShellHost,
  progress: ShellProgress,
  type: (keys: string) => void,
): Promise<void> {
  if (progress.shell !== "fish") return;
  const isTold = (): boolean => progress.state.kind === "prompt" || progress.isClosed;
  let typed = progress.timesTyped;
  for (let tries = 0; tries < TRIES; tries++) {
    const until = performance.now() + BACK_MS;
    for (let left = BACK_MS; left > 0 && !isTold(); left = until - performance.now()) await progress.changes.next(left);
    if (isTold() || progress.timesTyped !== typed) return;
    if (!isBackUnmarked(host, progress)) continue;
    try {
      type("\r");
    } catch {
      return; // the keyboard is somebody else's
    }
    typed = progress.timesTyped;
  }
}
