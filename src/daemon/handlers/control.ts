/** Handlers that act on a session: send, resize, signal, stop, kill, remove, rename. */
import { endSession } from "../../client/sessions/end-session.ts";
import { callHolder } from "../../client/holder/holder-call.ts";
import { withMayArriveHint, writtenCursor } from "../../client/sessions/send-input.ts";
import { sendSecret } from "../../client/sessions/send-secret.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import type { InputResult } from "../../protocol/wire/holder-methods.ts";
import { requireInputFits } from "../../protocol/wire/input-limit.ts";
import type { Session } from "../../protocol/types/session.ts";
import type { Parsed } from "../../protocol/methods/table.schema.ts";
import type { Handler } from "./handlers.ts";
import { oneOf } from "../sessions/start-request-from.ts";

export const send: Handler<"session.send"> = async (params, { daemon, signal: canceled }) => {
  const { session_id, text, data, keys, paste, secret, eof, takeover } = params;
  const given = [text, data, keys, paste, secret].filter((form) => form !== undefined);
  const forms = given.length;
  if (forms > 1 || (forms === 0 && !eof))
    throw new HoltError(
      "EBADARGS",
      `session.send needs ${oneOf(given)} of text, data, keys, paste and secret, or eof`,
      {
        hint: "eof: true goes with any of them, or alone",
      },
    );
  const session = daemon.sessions.get(session_id);
  const before = writtenCursor(daemon.sessions, session_id);
  const { bytes_written, cursor = before }: InputResult =
    forms === 0 ? { bytes_written: 0 } : await sendOne(session, params, canceled).catch(rethrowLate);
  if (eof) await callHolder(session, "end_input", { takeover }, { signal: canceled }).catch(rethrowLate);
  return { bytes_written, next_cursor: String(cursor) };
};

function rethrowLate(error: unknown): never {
  throw withMayArriveHint(error);
}

async function sendOne(
  session: Session,
  { text, data, keys, paste, secret, takeover }: Parsed<"session.send">,
  canceled: AbortSignal,
): Promise<InputResult> {
  const patience = { signal: canceled };
  if (keys !== undefined) return callHolder(session, "keys", { keys, takeover }, patience);
  if (secret !== undefined) return sendSecret(session, bytesOf(secret), takeover);
  const bytes = requireInputFits(data === undefined ? bytesOf(text ?? paste ?? "") : Uint8Array.fromBase64(data));
  return callHolder(session, paste === undefined ? "input" : "paste", { data: bytes.toBase64(), takeover }, patience);
}

export const resize: Handler<"session.resize"> = ({ session_id, cols, rows }, { daemon, signal: canceled }) =>
  callHolder(daemon.sessions.get(session_id), "resize", { cols, rows }, { signal: canceled });

export const signal: Handler<"session.signal"> = ({ session_id, signal: name }, { daemon, signal: canceled }) =>
  callHolder(daemon.sessions.get(session_id), "signal", { signal: name }, { signal: canceled });

export const stop: Handler<"session.stop"> = async (request, { daemon, signal: canceled }) => {
  const { session_id, signal: name, grace_ms } = request;
  const params = {
    ...(name === undefined ? {} : { signal: name }),
    ...(grace_ms === undefined ? {} : { grace_ms }),
  };
  await endSession(daemon.sessions, session_id, { method: "stop", params }, canceled);
  return daemon.sessions.get(session_id);
};

export const kill: Handler<"session.kill"> = async ({ session_id }, { daemon, signal: canceled }) => {
  await endSession(daemon.sessions, session_id, { method: "kill", params: {} }, canceled);
  return daemon.sessions.get(session_id);
};

export const remove: Handler<"session.remove"> = ({ session_id }, { daemon }) => {
  daemon.sessions.remove(session_id);
  return {};
};

export const rename: Handler<"session.rename"> = ({ session_id, name }, { daemon, signal: canceled }) =>
  callHolder(daemon.sessions.get(session_id), "rename", { name }, { signal: canceled });
