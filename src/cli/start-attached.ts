/** `holt start --attach`. */
import { LocalSessions } from "../client/local-sessions.ts";
import { getSize, isTerminal } from "../platform/terminal-device.ts";
import { DEFAULT_SIZE } from "../protocol/start-request.ts";
import { attachTo } from "./attach-to.ts";

const AS_USUAL = {
  role: "driver",
  takesPart: true,
  replay: "screen",
  replaces: false,
  takeover: false,
  detachKeys: null,
  exitCode: false,
} as const;

export function ownSize(): { cols: number; rows: number } {
  return isTerminal(1) ? getSize(1) : DEFAULT_SIZE;
}

export async function attachToNew(id: string): Promise<never> {
  const sessions = new LocalSessions();
  // What watches the terminal would keep the process for ever.
  process.exit(await attachTo(sessions, sessions.get(id), AS_USUAL));
}
