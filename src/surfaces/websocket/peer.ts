/**
 * The interface of a WebSocket's server side, its close codes, and Bun's handlers, which Bun has
 * once for all sockets.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { onMessage, onPong } from "./hang-up.ts";

export type Socket = Bun.ServerWebSocket<SocketData>;

export interface SocketData {
  peer: Peer;
  /** Its connection slot. Released when the socket is closed, which may be long after hangUp(). */
  slot: Disposable;
}

export interface Peer {
  opened(socket: Socket): void;
  message(message: string | Buffer): void;
  /** The client has read some of what was sent. */
  drained(): void;
  closed(): void;
}

/** When a client has this much unread, nothing more is read for it. */
export const MAX_UNREAD_BYTES = 1024 * 1024;

export const CLOSE = {
  done: 1000,
  /** The daemon shuts down. */
  away: 1001,
  /** A violation of the protocol. */
  protocol: 1002,
  refused: 1008,
  tooLarge: 1009,
  internal: 1011,
  /** Our own codes: no valid key or a revoked one; no such session; a client that does not read. */
  unauthorized: 4401,
  notFound: 4404,
  slow: 4408,
} as const;

export function invalidKey(): HoltError {
  return new HoltError("EUNAUTHORIZED", "no such key, or it has expired", { hint: "ask for another link" });
}

export const SOCKET_HANDLERS = {
  open: (socket: Socket) => socket.data.peer.opened(socket),
  message: (socket: Socket, message: string | Buffer) => {
    onMessage(socket);
    socket.data.peer.message(message);
  },
  drain: (socket: Socket) => socket.data.peer.drained(),
  pong: (socket: Socket) => onPong(socket),
  close: ({ data }: Socket) => {
    data.peer.closed();
    data.slot[Symbol.dispose]();
  },
};
