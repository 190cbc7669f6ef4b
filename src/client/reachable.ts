/** Which holders answer at their sockets, asked all at once under one deadline. */
import { decodeJson, encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../protocol/frames.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { VERSION } from "../protocol/version.ts";
import { deadlineAfter } from "./deadline.ts";
import { HolderConnection } from "./holder-connection.ts";

const ALL_MS = 2000;

/** Any version of a holder will do: what it does not know it says. */
export async function reachable(sessions: readonly Session[], signal: AbortSignal): Promise<Session[]> {
  using deadline = deadlineAfter(ALL_MS, signal);
  const living = sessions.filter(({ state }) => !isFinal(state));
  const answers = await Promise.all(living.map((session) => answersAt(session, deadline.signal)));
  return living.filter((_, i) => answers[i] === true);
}

async function answersAt({ socket, session_id }: Session, signal: AbortSignal): Promise<boolean> {
  using connection = socket === null ? null : await HolderConnection.dial(socket, signal);
  if (connection === null) return false;
  connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
  const frame = await connection.next();
  return frame?.type === FRAME.hello && decodeJson(frame.payload)?.["session_id"] === session_id;
}
