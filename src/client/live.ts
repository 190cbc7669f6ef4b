/** What a holder sends from a cursor on. Ends after an `end` item, or without one when the holder is lost or of no use. */
import { decodeData, decodeJson, encodeJsonFrame, FRAME, type Frame, PROTOCOL_VERSION } from "../protocol/frames.ts";
import { type Channel, SESSION_STATES, type SessionState } from "../protocol/session.ts";
import { VERSION } from "../protocol/version.ts";
import { HolderConnection } from "./holder-connection.ts";

/** A stopped holder still has its connections accepted by the kernel: it must also answer. */
const HELLO_MS = 2000;

export type FollowItem =
  | { type: "data"; cursor: number; timestamp: number; channel: Channel; bytes: Uint8Array }
  | { type: "gap"; from: number; to: number }
  | { type: "end"; cursor: number; state: SessionState };

export interface LiveOptions {
  path: string;
  id: string;
  cursor: number;
  signal: AbortSignal;
}

export async function* live({ path, id, cursor, signal }: LiveOptions): AsyncGenerator<FollowItem, void> {
  using connection = await HolderConnection.dial(path, signal);
  if (connection === null) return;
  connection.send(encodeJsonFrame(FRAME.hello, { protocol: PROTOCOL_VERSION, holt_version: VERSION }));
  connection.send(encodeJsonFrame(FRAME.follow, { cursor: String(cursor) }));
  if (!(await saysHello(connection, id))) return;
  for (let frame = await connection.next(); frame !== null; frame = await connection.next()) {
    if (frame.type === FRAME.error) return;
    const item = itemOf(frame);
    if (item === "unknown") continue;
    if (item === null) return;
    yield item;
    if (item.type === "end") return;
  }
}

async function saysHello(connection: HolderConnection, id: string): Promise<boolean> {
  const timer = setTimeout(() => connection[Symbol.dispose](), HELLO_MS);
  const frame = await connection.next();
  clearTimeout(timer);
  if (frame?.type !== FRAME.hello) return false;
  const hello = decodeJson(frame.payload);
  return hello?.["protocol"] === PROTOCOL_VERSION && hello["session_id"] === id;
}

/** Null when the payload is not what its type promises. */
function itemOf({ type, payload }: Frame): FollowItem | "unknown" | null {
  if (type === FRAME.data) {
    const data = decodeData(payload);
    return data === null ? null : { type: "data", ...data };
  }
  if (type !== FRAME.gap && type !== FRAME.end) return "unknown";
  const value = decodeJson(payload);
  if (value === null) return null;
  if (type === FRAME.gap) {
    const [from, to] = [Number(value["from"]), Number(value["to"])];
    return from <= to ? { type: "gap", from, to } : null;
  }
  const state = SESSION_STATES.find((known) => known === value["state"]);
  const end = Number(value["cursor"]);
  return state === undefined || Number.isNaN(end) ? null : { type: "end", cursor: end, state };
}
