/** Which holders answer at their sockets, asked all at once under one deadline. */
import { decodeJson, encodeJsonFrame, FRAME, PROTOCOL_VERSION } from "../protocol/frames.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { VERSION } from "../protocol/version.ts";
import { deadlineAfter } from "./deadline.ts";
import { HolderConnection } from "./holder-connection.ts";

const ALL_MS = 2000;

export interface Reached {
  holders: Session[];
  /** They took the call and said nothing until it was given up, as one does that is stopped. */
  silent: Session[];
}

/** Any version of a holder will do: what it does not know it says. */
export async function reachable(sessions: readonly Session[]): Promise<Reached> {
  using deadline = deadlineAfter(ALL_MS, new AbortController().signal);
  const living = sessions.filter(({ state }) => !isFinal(state));
  const reached: Reached = { holders: [], silent: [] };
  await Promise.all(
    living.map(async (session) => {
      if (await answersAt(session, deadline.signal)) reached.holders.push(session);
      else if (deadline.signal.aborted) reached.silent.push(session);
    }),
  );
  return reached;
}

async function answersAt({ socket, session_id }: Session, signal: AbortSignal): Promise<boolean> {
  // A socket that another user has taken is not dialled: the holder counts as unreachable.
  using connection = socket === null ? null : await HolderConnection.dial(socket, signal).catch(() => null);
  if (connection === null) return false;
  connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
  const frame = await connection.next();
  return frame?.type === FRAME.hello && decodeJson(frame.payload)?.["session_id"] === session_id;
}
