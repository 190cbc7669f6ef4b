import { processStatus } from "../platform/processes.ts";
import type { HeldSession } from "./held-session.ts";

const LOOK_MS = 200;

/** Nobody tells of a SIGCONT that somebody sent to the command, nor of its death while its leader waits: we look for it. */
export function onceContinued(session: HeldSession, act: () => void): void {
  const look = setInterval(() => {
    if (!session.hasEnded && processStatus(session.transport.pid)?.state === "T") return;
    clearInterval(look);
    act();
  }, LOOK_MS);
}
