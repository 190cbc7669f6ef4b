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
    get inputEnd() {
      return session.transport.inputEnd;
    },
    get produced() {
      return session.record.writer.produced;
    },
    members: () => session.members(),
    input: (bytes) => session.input(bytes),
    endInput: () => session.transport.endInput(),
    resize: (size) => session.resize(size),
    signal(signal) {
      session.record.event({ type: "signal", signal: signalName(signal), sender: "client" });
      session.transport.signal(signal, "group");
    },
    stop: (options) => void session.stop("stop_requested", options),
    kill: () => void session.kill("kill_requested"),
    rename: (name) => session.record.rename(name),
  };
}
