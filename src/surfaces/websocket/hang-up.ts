/**
 * The end of a WebSocket from our side. Once it is closed, the runtime keeps its descriptor until the client has answered, or for a minute, and can be told nothing
 * about it any more: a client that reads nothing would hold it. So it is asked first, behind all that it was sent. Who answers is closed with the
 * reason; who neither answers nor reads nor says anything is cut off. What one says is not listened to, but its answer comes behind it: of forty megabytes
 * on a busy machine, seconds later.
 */
import type { Socket } from "./peer.ts";

/** For who does not read, the last word is not worth more. */
const SILENCE_MS = 3000;
/** So long it counts that one goes on talking. */
const MAX_TALK_MS = 30_000;
const POLL_MS = 100;
/** One question, or its answer, may be lost beside megabytes that are on their way: it is asked again. */
const PING_MS = 1000;

interface Closing {
  pongReceived(): void;
  messageReceived(): void;
}

const waiting = new WeakMap<Socket, Closing>();

export interface HangUpOptions {
  reason?: string;
  /** Whether one may hold its place by talking: not who has shown no key. */
  isKnown: boolean;
}

export function hangUp(socket: Socket, code: number, { reason, isKnown }: HangUpOptions): void {
  const began = performance.now();
  let [unread, readAt, heardAt, askedAt] = [socket.getBufferedAmount(), began, began, began];
  const looking = setInterval(() => {
    const [left, now] = [socket.getBufferedAmount(), performance.now()];
    if (left < unread) readAt = now;
    unread = left;
    if (now - Math.max(readAt, heardAt) < SILENCE_MS) {
      if (now - askedAt < PING_MS) return;
      askedAt = now;
      socket.ping();
      return;
    }
    over();
    socket.terminate();
  }, POLL_MS).unref();
  const over = (): void => {
    clearInterval(looking);
    waiting.delete(socket);
  };
  waiting.set(socket, {
    pongReceived() {
      over();
      socket.close(code, reason);
    },
    messageReceived() {
      const now = performance.now();
      if (isKnown && now - began < MAX_TALK_MS) heardAt = now;
    },
  });
  socket.ping();
}

/** It has read up to there. */
export function answered(socket: Socket): void {
  waiting.get(socket)?.pongReceived();
}

/** It is still there, and says something. */
export function heard(socket: Socket): void {
  waiting.get(socket)?.messageReceived();
}
