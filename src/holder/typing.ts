/** Requests that type into a session, from those who are not attached to it. */
import { HoltError } from "../protocol/errors.ts";
import { UNREAD } from "../protocol/holder-methods.ts";
import { DEFAULT_MODES, type Modes } from "../protocol/modes.ts";
import { encodeKeys } from "../terminal/keys.ts";
import { encodePaste } from "../terminal/paste.ts";
import type { Answer, Asked, Params } from "./control.ts";
import { badValue, decoded, requireFree } from "./control-values.ts";

/** More than this is not held for a command that does not read. */
const MAX_PENDING_INPUT = 4 * 1024 * 1024;
/** Who that is, in the account of who typed. */
const SENDER = "send";
const NOTHING = new Uint8Array(0);

export const TYPING = {
  input: (asked: Asked, params: Params): Answer => typed(asked, params, decoded(params["data"])),
  keys(asked: Asked, params: Params): Answer {
    const { keys } = params;
    const names = Array.isArray(keys) && keys.every((key) => typeof key === "string") ? keys : null;
    if (names === null) throw badValue("keys", keys, 'a list of key names, e.g. ["ctrl-c", "up"]');
    return withModes(asked, (modes) => typed(asked, params, encodeKeys(names, modes)));
  },
  paste(asked: Asked, params: Params): Answer {
    const bytes = decoded(params["data"]);
    return withModes(asked, (modes) => typed(asked, params, encodePaste(bytes, modes)));
  },
  end_input({ session, clients }: Asked, { takeover }: Params): Answer {
    requireFree(session.reserved.input, "typed into");
    clients.type(SENDER, NOTHING, takeover === true);
    session.endInput();
    return {};
  },
};

/** At once where they are known, so that what was asked first is typed first. */
function withModes({ session }: Asked, act: (modes: Modes) => Record<string, unknown>): Answer {
  requireFree(session.reserved.input, "typed into");
  const modes = session.terminal === null ? DEFAULT_MODES : session.terminal.modesNow();
  return modes instanceof Promise ? modes.then(act) : act(modes);
}

function typed({ session, clients }: Asked, { takeover }: Params, bytes: Uint8Array): Record<string, unknown> {
  requireFree(session.reserved.input, "typed into");
  if (session.pendingInput + bytes.length > MAX_PENDING_INPUT) {
    throw new HoltError("EBUSY", `${UNREAD} ${session.pendingInput} bytes that it was sent before`, {
      hint: "wait until it reads, and send the rest then",
    });
  }
  const cursor = session.produced;
  clients.type(SENDER, bytes, takeover === true);
  return { bytes_written: bytes.length, cursor };
}
