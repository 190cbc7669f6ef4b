/**
 * Handlers of session.attach, session.clients and session.detach: the clients attached to a
 * session.
 */
import { quickSettingsFrom } from "../../config/quick-settings.ts";
import { isSocketMissing, dialAfterRebind } from "../../client/holder/dial-holder.ts";
import { callHolder, unreachableHolder } from "../../client/holder/holder-call.ts";
import { ATTACH_FRAME, type AttachRequest } from "../../protocol/wire/attach.ts";
import { joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../../protocol/wire/frames.ts";
import { isFinal } from "../../protocol/types/session.ts";
import { VERSION } from "../../protocol/types/version.ts";
import type { Handler } from "./handlers.ts";

/**
 * Checks the request and returns the holder's socket with the opening frames.
 *
 * The client itself dials the holder: nothing passes through the daemon, so attachments survive its
 * end.
 */
export const attach: Handler<"session.attach"> = async (params, { daemon, signal }) => {
  const { session_id, cursor, size, scrollback_bytes, detach_others } = params;
  const session = daemon.sessions.get(session_id);
  if (isFinal(session.state))
    throw new HoltError("ESESSIONCLOSED", `session ${session_id} has ended`, {
      hint: "session.screen shows its last screen, session.read its output",
    });
  if (session.transport_mode === "pipe")
    throw new HoltError("EBADARGS", "this session has no terminal to attach to", {
      hint: "session.subscribe follows it, session.send writes to its stdin",
    });
  if (session.socket === null) throw unreachableHolder(session, "it has no socket");
  if (isSocketMissing(session)) (await dialAfterRebind(session, signal))?.[Symbol.dispose]();
  const { role, replay, scrollback, takeover, clipboard, pid, label } = params;
  const request: AttachRequest = {
    role,
    replay,
    ...(cursor === undefined ? {} : { cursor }),
    size: size === null ? null : { ...size, width: 0, height: 0 },
    scrollback,
    raw_bytes: scrollback_bytes ?? quickSettingsFrom(daemon.settings.lastValid).scrollbackBytes,
    replaces: detach_others,
    takeover,
    once: false,
    passive: false,
    pid,
    label,
    clipboard,
  };
  const hello = encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION });
  const opening = joined([hello, encodeJsonFrame(ATTACH_FRAME.attach, request)]).toBase64();
  return { session_id, socket: session.socket, opening, protocol: PROTOCOL_VERSION };
};

export const clients: Handler<"session.clients"> = ({ session_id }, { daemon, signal }) => {
  const session = daemon.sessions.get(session_id);
  // An ended session has no clients.
  return isFinal(session.state) ? { clients: [] } : callHolder(session, "clients", {}, { signal });
};

export const detach: Handler<"session.detach"> = ({ session_id, client_id }, { daemon, signal }) =>
  callHolder(daemon.sessions.get(session_id), "detach", { client_id }, { signal });
