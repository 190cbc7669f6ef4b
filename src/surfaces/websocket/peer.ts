/** One WebSocket, from the upgrade to its end. Bun has one set of handlers for all: each goes to the peer at hand. */
import { HoltError } from "../../protocol/types/errors.ts";
import { answered, heard } from "./hang-up.ts";

export type Socket = Bun.ServerWebSocket<SocketData>;

export interface SocketData {
  peer: Peer;
  /** Among those who have shown no key yet, or this one. Given back with the socket's end, which may be long after a peer has hung up. */
  slot: Disposable;
}

export interface Peer {
  opened(socket: Socket): void;
  message(message: string | Buffer): void;
  /** There is room again. */
  drained(): void;
  closed(): void;
}

/** What one who does not read may leave unread: past it, nothing more is read for him. */
export const MAX_UNREAD_BYTES = 1024 * 1024;

export const CLOSE = {
  done: 1000,
  /** The daemon ends. */
  away: 1001,
  /** Not what was agreed on. */
  protocol: 1002,
  refused: 1008,
  tooLarge: 1009,
  internal: 1011,
  /** Of ours: no key, or none that opens this; it was taken back; a client that takes nothing. */
  unauthorized: 4401,
  notFound: 4404,
  slow: 4408,
} as const;

export function invalidKey(): HoltError {
  return new HoltError("EUNAUTHORIZED", "there is no such key, or it has ended", { hint: "ask for another link" });
}

export const SOCKET_HANDLERS = {
  open: (socket: Socket) => socket.data.peer.opened(socket),
  message: (socket: Socket, message: string | Buffer) => {
    heard(socket);
    socket.data.peer.message(message);
  },
  drain: (socket: Socket) => socket.data.peer.drained(),
  pong: (socket: Socket) => answered(socket),
  close: ({ data }: Socket) => {
    data.peer.closed();
    data.slot[Symbol.dispose]();
  },
};
