/**
 * Observes a command's start and output: for the user's terminal (foreground.ts), or for a
 * background session.
 */
import { processStatus } from "../../platform/process/processes.ts";
import { signalNumber } from "../../platform/process/signals.ts";
import type { Channel } from "../../protocol/types/session.ts";
import type { HeldSession } from "./held-session.ts";

const SIGSTOP = signalNumber("SIGSTOP");
const POLL_MS = 200;

export interface CommandObserver {
  /** Called just before the command is spawned. */
  beforeSpawn(): void;
  /** Called just after the command was spawned; it is in our process group then. */
  spawned(pid: number): void;
  /** The command runs, and its record says so. */
  running(): void;
  /** `bytes` are valid only during the call, and in the transcript already. */
  output(channel: Channel, bytes: Uint8Array): void;
  stopped(signal: number): void;
  inputDrained(): void;
}

/** For a background session: its socket shows the output. */
export function backgroundObserver(session: HeldSession, running: () => void): CommandObserver {
  return {
    beforeSpawn() {},
    spawned() {},
    running,
    output() {},
    // No shell would continue the command. After SIGSTOP, its sender does.
    stopped(signal) {
      if (signal === SIGSTOP) onceContinued(session, () => session.transport.resume());
      else session.transport.resume();
    },
    inputDrained() {},
  };
}

/**
 * Polls: neither a SIGCONT to the command nor its death while the leader waits raises an event
 * here.
 */
export function onceContinued(session: HeldSession, act: () => void): void {
  const poll = setInterval(() => {
    if (!session.hasEnded && processStatus(session.transport.pid)?.state === "T") return;
    clearInterval(poll);
    act();
  }, POLL_MS);
}
