/**
 * The end of a WebSocket from our side. Once it is closed, the runtime keeps its descriptor until the client has answered, or for a minute, and can be told nothing
 * about it any more: a client that reads nothing would hold it. So it is asked first, behind all that it was sent. Who answers is closed with the
 * reason; who neither answers nor reads is cut off.
 */
import type { Socket } from "./peer.ts";

/** For who does not read, the last word is not worth more. */
const LAST_MS = 3000;
const LOOK_MS = 100;

const waiting = new WeakMap<Socket, () => void>();

export function hangUp(socket: Socket, code: number, reason?: string): void {
  let [unread, progressAt] = [socket.getBufferedAmount(), performance.now()];
  const looking = setInterval(() => {
    const left = socket.getBufferedAmount();
    if (left < unread) progressAt = performance.now();
    unread = left;
    if (performance.now() - progressAt < LAST_MS) return;
    over();
    socket.terminate();
  }, LOOK_MS).unref();
  const over = (): void => {
    clearInterval(looking);
    waiting.delete(socket);
  };
  waiting.set(socket, () => {
    over();
    socket.close(code, reason);
  });
  socket.ping();
}

/** It has read up to there. */
export function answered(socket: Socket): void {
  waiting.get(socket)?.();
}
