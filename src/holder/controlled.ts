import { signalName } from "../platform/signals.ts";
import type { Controlled, Reserved } from "./control.ts";
import type { HeldSession } from "./held-session.ts";

/** A session as those on its socket may act on it. */
export function controlledOf(session: HeldSession, reserved: Reserved): Controlled {
  return {
    reserved,
    get isStarting() {
      return session.isStarting;
    },
    get hasEnded() {
      return session.hasEnded;
    },
    get pendingInput() {
      return session.transport.pendingInput;
    },
    input: (bytes) => session.input(bytes),
    resize: (size) => session.resize(size),
    signal(signal) {
      session.record.event({ type: "signal", signal: signalName(signal), sender: "client" });
      session.transport.signal(signal, "group");
    },
    stop: ({ reason, ...options }) => void session.stop(reason, options),
    kill: () => void session.kill("kill_requested"),
    rename: (name) => session.record.rename(name),
  };
}
