import { HoltError } from "../protocol/errors.ts";
import { signalName } from "../platform/signals.ts";
import type { Controlled } from "./control.ts";
import type { Reserved } from "./reserved.ts";
import type { Sharing } from "./sharing.ts";
import type { HeldSession } from "./held-session.ts";

/** A session as those on its socket may act on it. */
export function controlledOf(session: HeldSession, reserved: Reserved, sharing: Sharing): Controlled {
  return {
    reserved,
    sharing,
    terminal: session.terminal,
    requireTerminal() {
      if (session.terminal !== null) return session.terminal;
      throw new HoltError("EBADARGS", "this session has no terminal to attach to", {
        hint: "`holt logs -f` follows it, `holt send` writes to its stdin",
      });
    },
    attended: () => session.attended(),
    event: (event) => session.record.event(event),
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
    get shell() {
      return session.shell;
    },
    get produced() {
      return session.record.writer.produced;
    },
    members: () => session.ends.members(session.transport),
    input: (bytes) => session.input(bytes),
    endInput: () => session.transport.endInput(),
    resize: (size) => session.resize(size),
    signal(signal) {
      session.record.event({ type: "signal", signal: signalName(signal), sender: "client" });
      session.transport.signal(signal, "group");
    },
    stop: ({ reason, ...options }) => void session.ends.stop(reason, options),
    kill: () => void session.ends.kill("kill_requested"),
    rename: (name) => session.record.rename(name),
  };
}
