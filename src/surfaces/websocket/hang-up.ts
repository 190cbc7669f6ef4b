/**
 * The end of a WebSocket from our side. Once it is closed, the runtime keeps its descriptor until the client has answered, or for a minute, and can be told nothing
 * about it any more: a client that reads nothing would hold it. So it is asked first, behind all that it was sent. Who answers is closed with the
 * reason; who neither answers nor reads nor says anything is cut off. What one says is not listened to, but its answer comes behind it: of forty megabytes
 * on a busy machine, seconds later.
 */
import type { Socket } from "./peer.ts";

/** For who does not read, the last word is not worth more. */
const LAST_MS = 3000;
/** So long it counts that one goes on talking. */
const TALK_MS = 30_000;
const LOOK_MS = 100;
/** One question, or its answer, may be lost beside megabytes that are on their way: it is asked again. */
const ASK_MS = 1000;

interface Waiting {
  answered(): void;
  heard(): void;
}

const waiting = new WeakMap<Socket, Waiting>();

export interface Farewell {
  reason?: string;
  /** Whether one may hold its place by talking: not who has shown no key. */
  isKnown: boolean;
}

export function hangUp(socket: Socket, code: number, { reason, isKnown }: Farewell): void {
  const began = performance.now();
  let [unread, readAt, heardAt, askedAt] = [socket.getBufferedAmount(), began, began, began];
  const looking = setInterval(() => {
    const [left, now] = [socket.getBufferedAmount(), performance.now()];
    if (left < unread) readAt = now;
    unread = left;
    if (now - Math.max(readAt, heardAt) < LAST_MS) {
      if (now - askedAt < ASK_MS) return;
      askedAt = now;
      socket.ping();
      return;
    }
    over();
    socket.terminate();
  }, LOOK_MS).unref();
  const over = (): void => {
    clearInterval(looking);
    waiting.delete(socket);
  };
  waiting.set(socket, {
    answered() {
      over();
      socket.close(code, reason);
    },
    heard() {
      const now = performance.now();
      if (isKnown && now - began < TALK_MS) heardAt = now;
    },
  });
  socket.ping();
}

/** It has read up to there. */
export function answered(socket: Socket): void {
  waiting.get(socket)?.answered();
}

/** It is still there, and says something. */
export function heard(socket: Socket): void {
  waiting.get(socket)?.heard();
}
