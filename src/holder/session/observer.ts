import { processStatus } from "../../platform/process/processes.ts";
import { signalNumber } from "../../platform/process/signals.ts";
import type { Channel } from "../../protocol/types/session.ts";
import type { HeldSession } from "./held-session.ts";

const SIGSTOP = signalNumber("SIGSTOP");
const LOOK_MS = 200;

/** The observer of a command's start and output: a person's terminal (foreground.ts), or none (unattended). */
export interface CommandObserver {
  /** The command is about to be made. */
  beforeSpawn(): void;
  /** It was, this moment, and in our process group. */
  spawned(pid: number): void;
  /** It runs, and its record says so. */
  running(): void;
  /** `bytes` are lent for the call, and in the transcript already. */
  output(channel: Channel, bytes: Uint8Array): void;
  stopped(signal: number): void;
  inputDrained(): void;
}

/** No person's terminal: the session's socket shows what is printed. */
export function backgroundObserver(session: HeldSession, running: () => void): CommandObserver {
  return {
    beforeSpawn() {},
    spawned() {},
    running,
    output() {},
    // No shell would ever continue it; the sender of a SIGSTOP does.
    stopped(signal) {
      if (signal === SIGSTOP) onceContinued(session, () => session.transport.resume());
      else session.transport.resume();
    },
    inputDrained() {},
  };
}

/** Polls: a SIGCONT to the command, and its death while its leader waits, raise no event here. */
export function onceContinued(session: HeldSession, act: () => void): void {
  const look = setInterval(() => {
    if (!session.hasEnded && processStatus(session.transport.pid)?.state === "T") return;
    clearInterval(look);
    act();
  }, LOOK_MS);
}
