import { signalNumber } from "../platform/signals.ts";
import { onceContinued } from "./halted.ts";
import type { HeldSession } from "./held-session.ts";
import type { Onlooker } from "./onlooker.ts";

const SIGSTOP = signalNumber("SIGSTOP");

/** Nobody's terminal: whoever looks on does so through the session's socket. */
export function unattended(session: HeldSession, running: () => void): Onlooker {
  return {
    starting() {},
    made() {},
    running,
    output() {},
    // Nobody's shell would ever continue it; who used SIGSTOP means to.
    stopped(signal) {
      if (signal === SIGSTOP) onceContinued(session, () => session.transport.resume());
      else session.transport.resume();
    },
    inputDrained() {},
  };
}
