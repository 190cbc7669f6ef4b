/** Handles requests that type into a session without being attached. */
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_SECRET_BYTES, INPUT_NOT_READ } from "../../protocol/wire/holder-methods.ts";
import { DEFAULT_MODES, type Modes } from "../../protocol/types/modes.ts";
import { encodeKeys } from "../../terminal/keys/keys.ts";
import { encodePaste } from "../../terminal/keys/paste.ts";
import { readsLineWithoutEcho } from "../../platform/tty/terminal-device.ts";
import type { ControlResult, ControlTarget, ControllableSession, ControlParams } from "./control.ts";
import { badValue, decodeBase64, requireFree } from "./control-values.ts";

/** Limit for input that the command has not read. */
const MAX_PENDING_INPUT = 4 * 1024 * 1024;
/** The client id in the input events. */
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

/** A pipe does not turn CR into LF, as a terminal does. */
function keysFor({ session: { terminal } }: ControlTarget, names: readonly string[], modes: Modes): Uint8Array {
  const bytes = encodeKeys(names, modes);
  return terminal === null ? bytes.map((byte) => (byte === CR ? LF : byte)) : bytes;
}

/** An error must not contain a part of the secret. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * Refuses a secret that the terminal would echo, because output is kept. Check and write happen in
 * one step; input that waits before the secret could turn the echo on.
 */
function requireNoEcho({ transport: { inputEnd, pendingInput } }: ControllableSession): void {
  if (pendingInput > 0) {
    throw new HoltError("EBUSY", `the command has not read its earlier input: ${pendingInput} bytes`, {
      hint: "send the secret once the command has read it",
    });
  }
  if (inputEnd === null || inputEnd.kind !== "terminal" || readsLineWithoutEcho(inputEnd.slave)) return;
  throw new HoltError("EBUSY", "the terminal would echo the secret", {
    hint: "wait until the program asks for it: `holt wait ID --until input` then reports echo_off; if the program draws its input itself, send it as text",
  });
}

/** Calls `act` at once if the modes are known, so that requests type in order. */
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
  // Input over the limit is accepted when nothing is pending: for example a paste whose characters
  // take more room between brackets.
  const { pendingInput } = session.transport;
  if (pendingInput > 0 && pendingInput + bytes.length > MAX_PENDING_INPUT) {
    throw new HoltError("EBUSY", `${INPUT_NOT_READ} ${pendingInput} bytes that it was sent before`, {
      hint: "send the rest once the command has read it",
    });
  }
  const cursor = session.record.writer.produced;
  clients.type(SENDER, bytes, takeover === true);
  return { bytes_written: bytes.length, cursor };
}
