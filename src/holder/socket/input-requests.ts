/** Requests that type into a session, from those who are not attached to it. */
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_SECRET_BYTES, INPUT_NOT_READ } from "../../protocol/wire/holder-methods.ts";
import { DEFAULT_MODES, type Modes } from "../../protocol/types/modes.ts";
import { encodeKeys } from "../../terminal/keys/keys.ts";
import { encodePaste } from "../../terminal/keys/paste.ts";
import { readsLineWithoutEcho } from "../../platform/tty/terminal-device.ts";
import type { ControlResult, ControlTarget, ControllableSession, ControlParams } from "./control.ts";
import { badValue, decodeBase64, requireFree } from "./control-values.ts";

/** More than this is not held for a command that does not read. */
const MAX_PENDING_INPUT = 4 * 1024 * 1024;
/** Who that is, in the account of who typed. */
const SENDER = "send";
const [LF, CR] = [10, 13];
const EMPTY = new Uint8Array(0);

export const INPUT_HANDLERS = {
  input: (target: ControlTarget, params: ControlParams): ControlResult =>
    sendInput(target, params, decodeBase64(params["data"])),
  keys(target: ControlTarget, params: ControlParams): ControlResult {
    const { keys } = params;
    const names = Array.isArray(keys) && keys.every((key) => typeof key === "string") ? keys : null;
    if (names === null) throw badValue("keys", keys, 'a list of key names, e.g. ["ctrl-c", "up"]');
    return withModes(target, (modes) => sendInput(target, params, keysFor(target, names, modes)));
  },
  paste(target: ControlTarget, params: ControlParams): ControlResult {
    const bytes = decodeBase64(params["data"]);
    return withModes(target, (modes) => sendInput(target, params, encodePaste(bytes, modes)));
  },
  secret({ session, clients }: ControlTarget, params: ControlParams): ControlResult {
    const bytes = orNull(() => decodeBase64(params["data"]));
    if (bytes === null || bytes.length > MAX_SECRET_BYTES)
      throw new HoltError("EBADARGS", "invalid secret", { hint: `use base64 of up to ${MAX_SECRET_BYTES} bytes` });
    requireFree(session.reserved.input, "typed into");
    requireNoEcho(session);
    clients.typeSecret(SENDER, bytes, params["takeover"] === true);
    return { bytes_written: bytes.length };
  },
  end_input({ session, clients }: ControlTarget, { takeover }: ControlParams): ControlResult {
    requireFree(session.reserved.input, "typed into");
    clients.type(SENDER, EMPTY, takeover === true);
    session.transport.endInput();
    return {};
  },
};

/** On pipes no terminal makes a newline of Enter. */
function keysFor({ session: { terminal } }: ControlTarget, names: readonly string[], modes: Modes): Uint8Array {
  const bytes = encodeKeys(names, modes);
  return terminal === null ? bytes.map((byte) => (byte === CR ? LF : byte)) : bytes;
}

/** What is wrong with it is not told with a part of it. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** What would be shown would be output, and kept. A look and the line are one step; what waits behind other input could be too late. */
function requireNoEcho({ transport: { inputEnd, pendingInput } }: ControllableSession): void {
  if (pendingInput > 0) {
    throw new HoltError("EBUSY", `the command has yet to read ${pendingInput} bytes that it was sent before`, {
      hint: "wait until it reads, and send the secret then",
    });
  }
  if (inputEnd === null || inputEnd.kind !== "terminal" || readsLineWithoutEcho(inputEnd.slave)) return;
  throw new HoltError("EBUSY", "its terminal would show what is typed", {
    hint: "send it once the program asks for it, which `holt wait ID --until input` tells by echo_off; a program that draws what is typed itself takes it as text",
  });
}

/** At once where they are known, so that what was asked first is typed first. */
function withModes({ session }: ControlTarget, act: (modes: Modes) => Record<string, unknown>): ControlResult {
  requireFree(session.reserved.input, "typed into");
  const modes = session.terminal === null ? DEFAULT_MODES : session.terminal.modesNow();
  return modes instanceof Promise ? modes.then(act) : act(modes);
}

function sendInput(
  { session, clients }: ControlTarget,
  { takeover }: ControlParams,
  bytes: Uint8Array,
): Record<string, unknown> {
  requireFree(session.reserved.input, "typed into");
  // What would never fit is taken when nothing waits: a paste of signs that take more room between brackets.
  const { pendingInput } = session.transport;
  if (pendingInput > 0 && pendingInput + bytes.length > MAX_PENDING_INPUT) {
    throw new HoltError("EBUSY", `${INPUT_NOT_READ} ${pendingInput} bytes that it was sent before`, {
      hint: "wait until it reads, and send the rest then",
    });
  }
  const cursor = session.record.writer.produced;
  clients.type(SENDER, bytes, takeover === true);
  return { bytes_written: bytes.length, cursor };
}
